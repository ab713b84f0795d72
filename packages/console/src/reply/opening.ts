import type { OpenedReply, ReplyKey } from '@svc/client'
import type { VerificationReason } from '@svc/client/verify'
import { chunk } from '../failures/chunk.ts'
import { SaidError } from '../failures/sentences.ts'
import { jsonIn } from '../files/given-file.ts'
import { publicClient } from '../services/public-client.ts'
import { words } from '../words/reply/words.ts'

/** The largest sealed reply has 65,552 bytes as base64url, and some members. */
const MAX_BYTES = 100_000

/** The key in a private link or its fragment; null if it is not complete. */
export async function keyOfLink(link: string): Promise<ReplyKey | null> {
  const replyKeyOf = await chunk(() => import('@svc/client/functions').then(({ replyKeyOf: loaded }) => loaded))
  return replyKeyOf(link)
}

/** Opens the file that the owner sent, and verifies the signature. Throws a `SaidError` for anything else. */
export async function openAnswer(core: string, key: ReplyKey, file: File): Promise<OpenedReply> {
  const sealed = file.size > MAX_BYTES ? null : await jsonIn(file)
  const { contact } = await publicClient(core)
  const answer = await contact.safeOpenReply(sealed, key)
  if (answer.ok) return answer.value
  throw new SaidError(SENTENCES[answer.error.reason] ?? words.notSigned)
}

const SENTENCES: Readonly<Partial<Record<VerificationReason, string>>> = {
  malformed: words.noAnswer,
  mismatch: words.otherMessage,
  modified: words.changed,
}
