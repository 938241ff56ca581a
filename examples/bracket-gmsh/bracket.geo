// An L-shaped bracket with a bolt hole, 0.2 m by 0.15 m. Names given as physical groups are what problem.toml refers to.
//   gmsh -2 bracket.geo          (writes bracket.msh)
SetFactory("Built-in");
h = 0.01;

Point(1) = {0, 0, 0, h};
Point(2) = {0.2, 0, 0, h};
Point(3) = {0.2, 0.06, 0, h};
Point(4) = {0.06, 0.06, 0, h};
Point(5) = {0.06, 0.15, 0, h};
Point(6) = {0, 0.15, 0, h};
Line(1) = {1, 2};
Line(2) = {2, 3};
Line(3) = {3, 4};
Line(4) = {4, 5};
Line(5) = {5, 6};
Line(6) = {6, 1};

// The hole
Point(10) = {0.15, 0.03, 0, h};
Point(11) = {0.165, 0.03, 0, h};
Point(12) = {0.15, 0.045, 0, h};
Point(13) = {0.135, 0.03, 0, h};
Point(14) = {0.15, 0.015, 0, h};
Circle(11) = {11, 10, 12};
Circle(12) = {12, 10, 13};
Circle(13) = {13, 10, 14};
Circle(14) = {14, 10, 11};

Curve Loop(1) = {1, 2, 3, 4, 5, 6};
Curve Loop(2) = {11, 12, 13, 14};
Plane Surface(1) = {1, 2};

Physical Curve("wall") = {5};         // cooled
Physical Curve("rail") = {2};         // cooled
Physical Curve("bolt") = {11:14};     // heated
Physical Surface("bracket") = {1};
