// Loaded before every file of `npm test`: property tests draw the same values in every run, so that a run
// repeats exactly. A file run by hand draws new ones, and prints the seed of what it finds.

import fc from "fast-check";

fc.configureGlobal({ seed: 20_261_121 });
