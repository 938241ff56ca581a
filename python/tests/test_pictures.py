"""What notebooks and terminals show."""

import pytest

import varimesh

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")


@pytest.mark.parametrize("problem", ["rod", "plate", "box"])
@pytest.mark.parametrize("per", ["cell", "node"])
def test_every_panel_can_be_drawn(problem, per, request):
    import matplotlib.pyplot
    from varimesh._plot import PANELS

    result = varimesh.run(request.getfixturevalue(problem), set={"coefficient.per": per})
    axes = result.plot(*PANELS)
    assert list(axes) == list(PANELS)
    axes["mean"].figure.canvas.draw()
    matplotlib.pyplot.close("all")


def test_a_map_shows_each_cells_value(plate):
    import matplotlib.pyplot
    import numpy as np

    result = varimesh.run(plate)
    axes = result.plot("mean")["mean"]
    np.testing.assert_array_equal(np.sort(axes.collections[0].get_array()), np.sort(result._answer.mean))
    matplotlib.pyplot.close("all")


def test_a_wrong_panel_is_refused_with_those_there_are(rod):
    with pytest.raises(varimesh.InputError, match="mean, sd, draws"):
        varimesh.run(rod).plot("means")


def test_notebooks_show_the_trust_panel_and_a_picture(rod):
    page = varimesh.run(rod)._repr_html_()
    assert "<li" in page and "data:image/png;base64," in page


def test_meshio_gets_the_fields(plate):
    pytest.importorskip("meshio")
    result = varimesh.run(plate)
    mesh = result.to_meshio()
    assert len(mesh.cells[0].data) == 24
    assert mesh.cell_data["kappa_mean"][0] == pytest.approx(result._answer.mean, abs=0)
