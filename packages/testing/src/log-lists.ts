import { mlDsa65 } from '@svc/client/functions'
import { type ListedLog, type SignedLogList, signedLogListSchema } from '@svc/protocol/merkle/log-list'
import { logListFiles, logListKey, NEWEST_LIST_KEY } from '@svc/protocol/merkle/log-list-files'
import { nextLogList, signLogList } from '@svc/protocol/merkle/log-list-signing'

/** Signs the log lists of tests. */
export const LIST_SEED = new Uint8Array(32).fill(0x21)
const DAY_MS = 86_400_000

/** What is used of the bucket from which a Worker serves the lists. */
interface ListBucket {
  get(key: string): Promise<{ text(): Promise<string>; json(): Promise<unknown> } | null>
  put(key: string, text: string): Promise<unknown>
}

/** Puts the next list into a bucket. A Worker that has read the one before reads it a minute later. */
export async function putNextList(
  bucket: ListBucket,
  change: (logs: readonly ListedLog[]) => readonly ListedLog[],
): Promise<SignedLogList> {
  const newest = await (await bucket.get(NEWEST_LIST_KEY))?.text()
  const before = signedLogListSchema.parse(await (await bucket.get(logListKey(Number(newest))))?.json())
  const issuedAt = Date.now()
  const logs = [...change(before.statement.logs)]
  const statement = nextLogList(before, { logs, issuedAt, validUntil: issuedAt + DAY_MS })
  const publicKey = await mlDsa65.publicKeyOf(LIST_SEED)
  const list = await signLogList(statement, [{ publicKey, sign: (message) => mlDsa65.sign(LIST_SEED, message) }])
  for (const { key, text } of logListFiles(list)) await bucket.put(key, text)
  return list
}
