import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Identity, KeptRecovery } from '#client'
import type { KeySet } from '#client/backup'
import type { SheetRecord } from '#client/recovery-words'
import { usage } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { isThere, writeNew } from '../files.ts'

/** Where the recovery file of an epoch is written: each has its own, so that none is written over. */
export function recoveryFileOf(context: Context, { did, epoch }: { readonly did: string; readonly epoch: number }) {
  return join(context.folders.data, 'recovery', `${did.slice(8)}-epoch-${epoch}.json`)
}

/** Writes the recovery file, which has no secret in it. */
export async function writeRecoveryFile(context: Context, file: string, kept: KeptRecovery): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  await writeNew(file, `${JSON.stringify(kept, null, 2)}\n`)
  context.output.warn(`${file} is the recovery file: keep a copy in another place than this machine.`)
}

/**
 * The recovery file: the one that an earlier run wrote, which did not finish, if it is for the same keys; otherwise it is
 * written. Throws if another file is there.
 */
export async function recoveryFileAt(context: Context, file: string, kept: KeptRecovery): Promise<KeptRecovery> {
  if (await isThere(file)) return earlierAt(context, file, kept)
  await writeRecoveryFile(context, file, kept)
  return kept
}

async function earlierAt(context: Context, file: string, kept: KeptRecovery): Promise<KeptRecovery> {
  const { keptRecoverySchema } = await import('#client/functions')
  const { data: earlier } = keptRecoverySchema.safeParse(await context.readJson(file).catch(() => null))
  if (earlier && termsOf(earlier) === termsOf(kept)) return earlier
  throw usage(`${file} is there already, and is not this recovery file`, 'move it to another place, and run it again')
}

/** What of the requests is the same whenever they are signed. */
function termsOf({ did, epoch, requests }: KeptRecovery): string {
  const terms = requests.map(({ statement: { realm, version, newPublicKeyB64u, next, replaceable } }) => [
    realm,
    version,
    newPublicKeyB64u,
    next,
    replaceable,
  ])
  return JSON.stringify([did, epoch, terms])
}

/** The recovery of the root key's epoch, for the sheets that are recorded here. */
export async function renewed(context: Context, root: Identity, sheets: readonly SheetRecord[]): Promise<KeptRecovery> {
  const { recordedSheet, renewRecovery } = await import('#client/recovery-words')
  const { realm } = await context.profile()
  const now = context.environment.now()
  return renewRecovery(root, { realm, now, sheets: sheets.map(recordedSheet) })
}

/** After a rotation: the recovery of the new root key in a file of its own. Null for an identity without sheets. */
export async function renewFile(
  context: Context,
  { did, identity, sheets }: { readonly did: string } & Pick<KeySet, 'identity' | 'sheets'>,
): Promise<{ readonly kept: KeptRecovery; readonly file: string } | null> {
  if (!identity || sheets.length === 0) return null
  const kept = await renewed(context, identity, sheets)
  const file = recoveryFileOf(context, { did, epoch: kept.epoch })
  return { kept: await recoveryFileAt(context, file, kept), file }
}
