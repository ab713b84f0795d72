import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Identity, KeptRecovery } from '#client'
import { usage } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { isThere, writeNew } from '../files.ts'
import type { NamedSheets } from './named-sheets.ts'

/** Returns the path of the recovery file of an epoch, or of its recovery key. Each epoch has a file of its own. */
export function recoveryFileOf(context: Context, { did, epoch }: { readonly did: string; readonly epoch: number }) {
  return join(context.folders.data, 'recovery', `${did.slice(8)}-epoch-${epoch}.json`)
}

/** Writes the recovery file, which has no secrets. */
export async function writeRecoveryFile(context: Context, file: string, kept: KeptRecovery): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  await writeNew(file, `${JSON.stringify(kept, null, 2)}\n`)
  context.output.warn(`${file} is the recovery file: keep a copy outside of this machine.`)
}

/**
 * Writes the recovery file, or returns the one that an unfinished run wrote, if it is for the same keys. Throws if the
 * path has another file.
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
  throw usage(`${file} already exists, and is not this recovery file`, 'move it away, and run it again')
}

/** Returns the members of the requests that do not depend on when they are signed. */
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

/**
 * Returns the recovery file for the epoch of a root key, with all sheets that it commits to. What the owner has forbidden
 * stays forbidden.
 */
export async function renewed(
  context: Context,
  root: Identity,
  { records, commitment: { replaceable } }: NamedSheets,
): Promise<KeptRecovery> {
  const { recordedSheet, renewRecovery } = await import('#client/recovery-words')
  const { realm } = await context.profile()
  const now = context.environment.now()
  return renewRecovery(root, { realm, now, sheets: records.map(recordedSheet), replaceable })
}

/**
 * Writes the recovery file of a new root key after a rotation. Returns null if the identity has no sheets, or if this
 * machine does not know all of them.
 */
export async function renewFile(
  context: Context,
  root: Identity,
  named: NamedSheets,
): Promise<{ readonly kept: KeptRecovery; readonly file: string } | null> {
  if (named.records.length === 0 || named.missing > 0) return null
  const kept = await renewed(context, root, named)
  const file = recoveryFileOf(context, kept)
  return { kept: await recoveryFileAt(context, file, kept), file }
}
