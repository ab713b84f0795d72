import { type ExpectedMessage, readMessage, type VerifiedMessage } from '#protocol/statements/message'
import { checkCall, type Members } from '../arguments/check.ts'
import { safely, type Verified } from '../verification/safe.ts'
import { unverified } from '../verification/verification-error.ts'

const EXPECTED: Members<ExpectedMessage> = {
  did: 1,
  keys: 1,
  steps: 0,
  deviceKeysB64u: 0,
  audience: 1,
  realms: 1,
  content: 1,
  followedAt: 0,
  now: 0,
}

/**
 * Returns a message that a key of the identity signed, with exactly this content, for this audience. Offline. Throws a
 * `VerificationError` otherwise, also for a key that has ended, unless you had the message before (`followedAt`). You
 * count nonces and judge the time.
 */
export async function verifyMessage(signed: unknown, expected: ExpectedMessage): Promise<VerifiedMessage> {
  checkCall('verifyMessage', [signed, expected], ['signed?', ['expected', EXPECTED]])
  const read = await readMessage(signed, expected)
  if (read.ok) return read.value
  throw unverified('message', read.error, `The message does not verify: ${read.error}`, { evidence: signed })
}

/** `verifyMessage` as a result. */
export function safeVerifyMessage(signed: unknown, expected: ExpectedMessage): Promise<Verified<VerifiedMessage>> {
  return safely(() => verifyMessage(signed, expected))
}
