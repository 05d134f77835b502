// Order of what the search finds: guides and answers before the records of the project and members of classes.
var Scorer = {
  score: ([page, title, anchor, description, score, file, kind]) => {
    if (kind === "index") return score + 100;
    if (/^(decisions|verification|benchmarks|papers)\//.test(page)) return score / 4;
    if (kind === "object") return score / 2;
    if (/^(how_to|tutorial|conventions|simulation|results)/.test(page)) return score * 1.5;
    return score;
  },
  objNameMatch: 40,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
