import type { KeySet } from '#client/backup'
import type { Secret } from '#client/text'
import { invalid, usage } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { asFile } from '../files.ts'
import { argument, flag, type Given, option, type Result } from '../result.ts'

export async function importIdentity(context: Context, given: Given): Promise<Result> {
  const file = argument(given, 0)
  const bytes = await context.read(file)
  const { isAgeFile } = await import('#client/evidence')
  const { keys, passphrase } = isAgeFile(bytes)
    ? { keys: await openBackup(context, given, bytes), passphrase: null }
    : await openExport(context, file)
  const did = keys.identity?.did ?? keys.recovery?.did ?? keys.devices[0]?.membership?.did
  if (did === undefined) throw invalid('malformed', 'The file has no keys of an identity', 'pass another file')
  const isThere = await context.keys.has(did)
  if (isThere) await context.confirm(`The keys of ${did} are on this machine already. Replace them?`)
  // The file may have older keys than this machine.
  const replaced = isThere && !context.options.dryRun ? await context.keys.setAside(did) : null
  if (!context.options.dryRun) await keep(context, { did, keys, passphrase, inKeychain: flag(given, 'keychain') })
  const profile = await context.profiles.read(context.options.profile)
  const isUsed = profile?.did === did || context.options.dryRun
  return {
    data: {
      did,
      keys: context.keys.pathOf(did),
      hasRoot: keys.identity !== null,
      devices: keys.devices.length,
      replaced,
    },
    text: [
      `${context.options.dryRun ? 'Would import' : 'Imported'} the keys of ${did}.`,
      ...(replaced === null ? [] : [`The keys that were here before are in ${replaced}`]),
      ...(isUsed ? [] : [`Next: ${context.initFor(did, profile ? undefined : 'URL')}`]),
    ],
  }
}

async function openExport(context: Context, file: string) {
  const { importKeys } = await import('#client/backup')
  const passphrase = await context.passphrases.existing(file)
  return { keys: await importKeys(await context.readJson(file), passphrase), passphrase }
}

async function openBackup(context: Context, given: Given, bytes: Uint8Array): Promise<KeySet> {
  const identity = option(given, 'ageIdentity')
  if (identity === undefined)
    throw usage('This is a backup for an age key', 'pass the key file with --age-identity FILE')
  const { openWithAge } = await import('../keys/age-backup.ts')
  return openWithAge(bytes, await context.readText(identity))
}

interface Imported {
  readonly did: string
  readonly keys: KeySet
  /** Of the export; null for a backup, which has one that nobody knows. */
  readonly passphrase: Secret | null
  readonly inKeychain: boolean
}

async function keep(context: Context, { did, keys, passphrase, inKeychain }: Imported): Promise<void> {
  const own = inKeychain ? null : ((await context.keys.keptPassphrase(did)) ?? passphrase)
  await context.keys.write(did, keys, own ?? (await context.keys.newPassphrase(did, { inKeychain })))
  const { profile: name } = context.options
  const profile = await context.profiles.read(name)
  if (profile?.did !== null && profile?.did !== did) return
  await context.profiles.write(name, { ...profile, did, device: keys.identity ? null : profile.device })
}

export async function exportIdentity(context: Context, given: Given): Promise<Result> {
  const did = given.args[0] ?? (await context.did())
  return asFile(context, option(given, 'out'), await context.keys.exported(did), { did })
}

export async function backupIdentity(context: Context, given: Given): Promise<Result> {
  const did = given.args[0] ?? (await context.did())
  const to = option(given, 'to')
  if (to === undefined)
    throw usage('No recipient was given', 'make a key with age-keygen -pq, and pass its recipient with --to')
  const { checkRecipient, sealForAge } = await import('../keys/age-backup.ts')
  checkRecipient(to)
  return asFile(context, option(given, 'out'), await sealForAge(await context.keys.load(did), to), { did })
}
