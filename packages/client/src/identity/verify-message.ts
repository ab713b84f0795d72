import { type ExpectedMessage, messageFault, type SignedMessage } from '#protocol/statements/message'
import { safely, type Verified } from '../verification/safe.ts'
import { unverified } from '../verification/verification-error.ts'

/**
 * Returns a message that one of the keys signed, with exactly this content, for this audience. Offline. Throws a
 * `VerificationError` otherwise. You count nonces and judge the time.
 */
export async function verifyMessage(signed: unknown, expected: ExpectedMessage): Promise<SignedMessage> {
  const reason = await messageFault(signed, expected)
  if (reason) throw unverified('message', reason, `The message does not verify: ${reason}`, { evidence: signed })
  return signed as SignedMessage
}

/** `verifyMessage` as a result. */
export function safeVerifyMessage(signed: unknown, expected: ExpectedMessage): Promise<Verified<SignedMessage>> {
  return safely(() => verifyMessage(signed, expected))
}
