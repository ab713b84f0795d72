/**
 * Turnstile's documented testing keys, answered the way its siteverify answers them, so that a local deployment runs
 * the checks of every other without a network.
 *
 * @module
 */

/** The token that the widget gives under a testing site key. */
export const DUMMY_TOKEN = 'XXXX.DUMMY.TOKEN.XXXX'

const PASSES = '1x0000000000000000000000000000000AA'
const FAILS = '2x0000000000000000000000000000000AA'
const SPENT = '3x0000000000000000000000000000000AA'

export function isTestingSecret(secret: string | undefined): boolean {
  return secret === PASSES || secret === FAILS || secret === SPENT
}

/** The answer to a testing secret. Only the dummy token passes: whatever else comes was made by no widget. */
export function testingSiteverify(
  secret: string,
  token: string,
  { action, hostname, now }: { readonly action: string; readonly hostname: string; readonly now: number },
): object {
  const failed = (code: string) => ({ success: false, 'error-codes': [code], messages: [] })
  if (secret === SPENT) return failed('timeout-or-duplicate')
  if (secret !== PASSES || token !== DUMMY_TOKEN) return failed('invalid-input-response')
  const challenge_ts = new Date(now).toISOString()
  return {
    success: true,
    'error-codes': [],
    challenge_ts,
    hostname,
    action,
    cdata: '',
    metadata: { interactive: false },
  }
}
