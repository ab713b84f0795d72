import { type ExpectedMessage, messageFault, type SignedMessage } from '#protocol/statements/message'
import { checkCall } from '../arguments/check.ts'
import { safely, type Verified } from '../verification/safe.ts'
import { unverified } from '../verification/verification-error.ts'

/**
 * Returns a message that one of the keys signed, with exactly this content, for this audience. Offline. Throws a
 * `VerificationError` otherwise. You count nonces and judge the time.
 */
export async function verifyMessage(signed: unknown, expected: ExpectedMessage): Promise<SignedMessage> {
  checkCall(
    'verifyMessage',
    [signed, expected],
    ['signed?', ['expected', { did: 1, publicKeysB64u: 1, audience: 1, realms: 1, content: 1 }]],
  )
  const reason = await messageFault(signed, expected)
  if (reason) throw unverified('message', reason, `The message does not verify: ${reason}`, { evidence: signed })
  return signed as SignedMessage
}

/** `verifyMessage` as a result. */
export function safeVerifyMessage(signed: unknown, expected: ExpectedMessage): Promise<Verified<SignedMessage>> {
  return safely(() => verifyMessage(signed, expected))
}
