/**
 * Recovery with the words of a sheet and without a recovery file: a request that only the words sign. It takes 30 days,
 * and any key of the identity can end it.
 *
 * @module
 */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Identity, KeptRecovery } from '#client'
import type { RenewOptions, SuccessorSheet } from '#client/recovery-words'
import type { Context } from '../context.ts'
import { isThere } from '../files.ts'
import { withTypedSheet } from '../sheets/named-sheets.ts'
import { writeRecoveryFile } from '../sheets/recovery-file.ts'
import { rootNow } from '../sheets/root-now.ts'
import { recordOfTyped, sheetOf } from '../sheets/typed-sheet.ts'
import { isEncrypted, isForSheets, requestsIn } from './recovery-key.ts'
import type { OpenedKeys } from './take-over.ts'

type Owner = Pick<OpenedKeys, 'did' | 'keys'>
type Root = Awaited<ReturnType<typeof rootNow>>

/**
 * Returns the requests of these words. Asks before it creates them, and stores them, so that later runs go on with the
 * same requests. Returns null for an encrypted key, for an identity without sheets, where the root key is, and where
 * requests are prepared that the root key has signed. Those for an earlier root key are void and do not count.
 */
export async function requestsByWords(context: Context, owner: Owner, text: string): Promise<KeptRecovery | null> {
  const { did, keys } = owner
  const { recovery: prepared } = keys
  if (isEncrypted(text) || (prepared && !isForSheets(prepared))) return null
  const root = await rootNow(context, did, { ...keys, ...(await reader()) })
  if (root.commitment.next.length === 0 || keys.identity?.epoch === root.epoch) return null
  const sheet = await sheetOf(text)
  // An earlier run, here or elsewhere, may have stopped after the key of the sheet became the root key.
  const current = await sheet.successor({ scope: root.scope, epoch: root.epoch })
  const isRoot = current.publicKeyB64u === root.publicKeyB64u
  const successor = isRoot ? current : await sheet.successor({ scope: root.scope, epoch: root.epoch + 1 })
  if (prepared && prepared.epoch >= successor.epoch) return null
  if (isRoot) return signed(context, successor, { sheets: [sheet], root })
  const { epoch, userId } = successor
  // Each sheet has a file of its own: its requests lead to another key.
  const path = join(context.folders.data, 'recovery', `${did.slice(8)}-epoch-${epoch}-words-${userId.slice(0, 8)}.json`)
  const earlier = (await isThere(path)) ? await requestsIn(context, path) : null
  if (earlier && (await isOpen(context, earlier))) return earlier
  const kept = await created(context, owner, { sheet, successor, root })
  if (context.options.dryRun) return kept
  await rm(path, { force: true })
  await writeRecoveryFile(context, path, kept)
  return kept
}

/** Core opens a request of words alone only once: what was ended needs a new one. */
async function isOpen(context: Context, earlier: KeptRecovery): Promise<boolean> {
  const { stage } = await (await context.client('nobody')).recovery(earlier).status()
  return stage !== 'ready' && stage !== 'stopped'
}

interface Words {
  readonly sheet: SuccessorSheet
  /** The key of the sheet for the next epoch. */
  readonly successor: Identity
  readonly root: Root
}

/** Asks, and signs requests that keep the sheets which this machine knows. */
async function created(context: Context, { did, keys }: Owner, { sheet, successor, root }: Words) {
  const own = await recordOfTyped(context, sheet, root)
  const { records } = await withTypedSheet(keys.sheets, own, root)
  const { recordedSheet } = await import('#client/recovery-words')
  const kept = await signed(context, successor, { sheets: records.map(recordedSheet), root })
  if (context.options.dryRun) return kept
  const ending = root.commitment.next.length - records.length
  if (ending > 0)
    context.output.warn(`This machine does not know ${ending} of your sheets. The recovery ends what it does not know.`)
  await context.confirm(
    `Recover ${did} with words alone? It takes 30 days, and any key of the identity can end it. With the recovery file, it takes a day.`,
  )
  return kept
}

async function signed(
  context: Context,
  successor: Identity,
  { sheets, root }: { readonly sheets: RenewOptions['sheets']; readonly root: Root },
): Promise<KeptRecovery> {
  const { realm } = await context.profile()
  const { recoveryByWords } = await import('#client/recovery-words')
  const { replaceable } = root.commitment
  return recoveryByWords(successor, { realm, now: context.environment.now(), sheets, replaceable })
}

/** A temporary key that reads public data. Core never sees it. */
async function reader() {
  const { Identity: Reader } = await import('#client/identity')
  return { identity: await Reader.create() }
}
