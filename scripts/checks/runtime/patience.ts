/**
 * Gives calls between Workers twenty times as long. On a machine that does much else, the first call of a file can take
 * longer than the five seconds after which a sibling counts as down, and tests of anything would then see its absence.
 * Tests of a sibling that is late replace `AbortSignal.timeout` themselves. Also the text of a banner, so it uses nothing
 * from outside.
 */
export function waitLonger(): void {
  const limited = AbortSignal.timeout.bind(AbortSignal)
  // Set up once for each runtime, and asked for by each file.
  if (AbortSignal.timeout.name === 'patient') return
  AbortSignal.timeout = function patient(milliseconds) {
    return limited(milliseconds < 1_000 ? milliseconds : 20 * milliseconds)
  }
}
