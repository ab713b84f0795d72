/**
 * Recovery with the words of a sheet and without a recovery file: a request that only the words sign. It takes 30 days,
 * and any key of the identity can end it.
 *
 * @module
 */
import { join } from 'node:path'
import type { KeptRecovery } from '#client'
import type { Context } from '../context.ts'
import { isThere } from '../files.ts'
import { withTypedSheet } from '../sheets/named-sheets.ts'
import { writeRecoveryFile } from '../sheets/recovery-file.ts'
import { rootNow } from '../sheets/root-now.ts'
import { recordOfTyped, sheetOf } from '../sheets/typed-sheet.ts'
import { isEncrypted, requestsIn } from './recovery-key.ts'
import type { OpenedKeys } from './take-over.ts'

type Owner = Pick<OpenedKeys, 'did' | 'keys'>

/**
 * Returns the requests of these words. Asks before it creates them, and stores them, since a later run must go on
 * with the same requests. Returns null for an encrypted key, for an identity without sheets, and where the root key is.
 */
export async function requestsByWords(context: Context, owner: Owner, text: string): Promise<KeptRecovery | null> {
  if (isEncrypted(text)) return null
  const { did, keys } = owner
  const root = await rootNow(context, did, { ...keys, ...(await reader()) })
  if (root.commitment.next.length === 0 || keys.identity?.epoch === root.epoch) return null
  const sheet = await sheetOf(text)
  // An earlier run may have stopped after the key of the sheet became the root key.
  const current = await sheet.successor({ scope: root.scope, epoch: root.epoch })
  const opens = current.publicKeyB64u === root.publicKeyB64u ? root.epoch : root.epoch + 1
  const path = join(context.folders.data, 'recovery', `${did.slice(8)}-epoch-${opens}-words.json`)
  if (await isThere(path)) return requestsIn(context, path)
  const { scope, epoch, commitment } = root
  const own = await recordOfTyped(context, sheet, root)
  const { records } = await withTypedSheet(keys.sheets, own, { epoch, commitment })
  const successor = await sheet.successor({ scope, epoch: epoch + 1 })
  const { realm } = await context.profile()
  const { recordedSheet, recoveryByWords } = await import('#client/recovery-words')
  const { next, replaceable } = commitment
  const sheets = records.map(recordedSheet)
  const kept = await recoveryByWords(successor, { realm, now: context.environment.now(), sheets, replaceable })
  if (context.options.dryRun) return kept
  const ending = next.length - records.length
  if (ending > 0)
    context.output.warn(`This machine does not know ${ending} of your sheets. The recovery ends what it does not know.`)
  await context.confirm(
    `Recover ${did} with words alone? It takes 30 days, and any key of the identity can end it. With the recovery file, it takes a day.`,
  )
  await writeRecoveryFile(context, path, kept)
  return kept
}

/** A temporary key that reads public data. Core never sees it. */
async function reader() {
  const { Identity: Reader } = await import('#client/identity')
  return { identity: await Reader.create() }
}
