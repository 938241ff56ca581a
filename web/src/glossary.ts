import { h } from "./dom";

/** What the statisticians' words mean, for people who are none. */
const terms: [name: string, pattern: string, meaning: string][] = [
  [
    "k-hat",
    "k-hat|khat",
    "How heavy the tail of the importance weights is that would turn the fit's draws into exact ones. Below 0.3 the fit is as good as exact; above 0.7 the weights, and with them the fit's error bars, cannot be relied on.",
  ],
  [
    "R-hat",
    "R-hat",
    "How much chains that began in different places still differ: 1 if they say the same. Above 1.01 they have not run long enough.",
  ],
  [
    "effective draws",
    "effective draws",
    "A chain's draws resemble the ones before them; so many independent draws would be as precise.",
  ],
  [
    "ELBO",
    "ELBO",
    "A lower bound on the log probability of the data. Of two fits to the same data, the one with the higher ELBO is closer to the exact answer; of two priors, the data favour the one with the higher ELBO.",
  ],
  [
    "nats",
    "nats?(?![a-z])",
    "Units of log probability: one nat less is a factor of 2.7, a hundredth of a nat is nothing.",
  ],
  [
    "importance weights",
    "[Ii]mportance weights",
    "By how much each draw of the fit would have to count more, or less, for all of them together to be exact.",
  ],
  ["sd", "sds?(?![a-z])", "Standard deviation: the true value is expected within two of them, 95 times of 100."],
];

const pattern = () => new RegExp(`(?<![A-Za-z])(${terms.map(([, words]) => words).join("|")})`, "g");

const term = (word: string) => terms.find(([, words]) => new RegExp(`^(${words})$`).test(word));

/** A text in which every such word explains itself when pointed at. */
export function explained(text: string): (Node | string)[] {
  const parts: (Node | string)[] = [];
  let end = 0;
  for (const match of text.matchAll(pattern())) {
    const found = term(match[0]);
    if (!found) continue;
    parts.push(text.slice(end, match.index), h("abbr", { title: found[2] }, match[0]));
    end = match.index + match[0].length;
  }
  parts.push(text.slice(end));
  return parts;
}

/** The words that a text uses, for screens that nothing can point at; nothing if it uses none. */
export function glossary(text: string): HTMLElement | undefined {
  const found = new Set([...text.matchAll(pattern())].map((match) => term(match[0])));
  const used = terms.filter((one) => found.has(one));
  if (used.length === 0) return undefined;
  return h(
    "details",
    { class: "glossary" },
    h("summary", {}, "What the words mean"),
    h("dl", {}, ...used.flatMap(([name, , meaning]) => [h("dt", {}, name), h("dd", {}, meaning)])),
  );
}
