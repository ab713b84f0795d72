import type { CreatedKeys, Device } from '#client'
import type { KeySet } from '#client/backup'
import type { Secret } from '#client/text'
import { usage } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { mustBeNew } from '../files.ts'
import { flag, type Given, option, type Result } from '../result.ts'
import { NOBODY, type Profile } from '../settings/profiles.ts'
import { newSheets, sheetsAgain } from '../sheets/new-sheets.ts'
import { recoveryFileAt, recoveryFileOf } from '../sheets/recovery-file.ts'

/** What the first device may do. With a co-signature it takes part in a recovery. */
const ORIGIN = 'app:svc'

/** Makes and registers an identity. After a failure on the way, running it again finishes the same identity. */
export async function newIdentity(context: Context, given: Given): Promise<Result> {
  const profile = await context.profile()
  const { options } = context
  const begun = profile.did === null ? null : await unfinished(context, profile.did)
  if (options.dryRun)
    return {
      data: profile.did === null ? {} : { did: profile.did },
      text: `Would make keys, encrypt them under ${context.folders.data}, and register them at ${profile.core}.`,
    }
  const chosen = option(given, 'recovery')
  if (chosen !== undefined && !begun?.hasKeys) await mustBeNew(context.pathOf(chosen), '--recovery')
  const { Identity, Device } = await import('#client/identity')
  const identity = begun?.identity ?? (await Identity.create())
  if (flag(given, 'local')) return local(context, profile, identity, flag(given, 'keychain'))
  const { CAPABILITIES } = await import('#client/functions')
  const device = begun?.devices[0] ?? (await Device.create({ origin: ORIGIN, capabilities: [...CAPABILITIES] }))
  const { did, scope } = identity
  const passphrase =
    begun?.passphrase ?? (await context.keys.newPassphrase(did, { inKeychain: flag(given, 'keychain') }))
  const client = await context.client('nobody')
  const sheets = begun?.hasKeys
    ? await sheetsAgain(context, given, { scope, records: begun.records })
    : await newSheets(context, given)
  const recovery = recoveryPath(context, given, did)
  const recorded = ({ sheets: records }: Pick<CreatedKeys, 'sheets'>) =>
    records.map((record, at) => ({ ...record, confirmedAt: sheets[at]?.confirmedAt ?? null }))
  const keep = async (created: CreatedKeys) => {
    await keepRecovery(context, recovery, { created, passphrase, hasSheets: sheets.length > 0 })
    const kept = { identity, devices: [device], recovery: created.kept, sheets: recorded(created) }
    await context.keys.write(did, kept, passphrase)
    await context.profiles.write(options.profile, { ...profile, ...NOBODY, did })
  }
  const made = await client.createIdentity({ identity, device, keep, sheets: sheets.map(({ sheet }) => sheet) })
  const keys = { identity, devices: [made.device], recovery: made.kept, sheets: recorded(made) }
  await context.keys.write(did, keys, passphrase)
  return {
    data: {
      did,
      deviceId: made.device.deviceId,
      keys: context.keys.pathOf(did),
      recovery,
      sheets: keys.sheets.map(({ confirmedAt }) => ({ confirmedAt })),
    },
    text: [
      `${did} is registered at ${profile.core}.`,
      `Keys      ${context.keys.pathOf(did)}`,
      `Recovery  ${recovery}`,
      'Next: svc did register, so that others can find your keys',
    ],
  }
}

function recoveryPath(context: Context, given: Given, did: string): string {
  const chosen = option(given, 'recovery')
  return chosen === undefined ? recoveryFileOf(context, { did, epoch: 1 }) : context.pathOf(chosen)
}

/** With sheets, writes the recovery file. Without, writes the recovery key, encrypted. */
async function keepRecovery(
  context: Context,
  path: string,
  of: { readonly created: CreatedKeys; readonly passphrase: Secret; readonly hasSheets: boolean },
): Promise<void> {
  if (of.hasSheets) {
    await recoveryFileAt(context, path, of.created.kept)
    return
  }
  const { KeyFile } = await import('#client/node')
  await new KeyFile(path).save({ identity: of.created.successor }, of.passphrase)
  context.output.warn(`${path} has the recovery key: move it away from this machine.`)
}

async function local(
  context: Context,
  profile: Profile,
  identity: NonNullable<KeySet['identity']>,
  inKeychain: boolean,
) {
  const { did } = identity
  await context.keys.write(did, { identity }, await context.keys.newPassphrase(did, { inKeychain }))
  await context.profiles.write(context.options.profile, { ...profile, ...NOBODY, did })
  const path = context.keys.pathOf(did)
  return {
    data: { did, deviceId: null, keys: path, recovery: null, sheets: [] },
    text: [`${did} has keys on this machine, and is not registered.`, `Keys      ${path}`, 'Next: svc chain init'],
  }
}

interface Begun {
  readonly identity: NonNullable<KeySet['identity']>
  readonly devices: readonly Device[]
  readonly passphrase: Secret
  /** Whether an earlier run created more than the keys: it sent the identity, or was about to. */
  readonly hasKeys: boolean
  readonly records: KeySet['sheets']
}

/** The keys of a registration that did not finish. */
async function unfinished(context: Context, did: string): Promise<Begun> {
  const finished = usage(
    `Profile ${context.options.profile} has the identity ${did}`,
    'make another in a profile of its own: svc init --profile NAME, then svc id new --profile NAME',
  )
  if (!(await context.keys.has(did))) throw finished
  const { keys, passphrase } = await context.keys.open(did)
  const isBegun = keys.identity !== null && keys.devices.every(({ membership }) => membership === null)
  if (!isBegun || !keys.identity) throw finished
  const { identity, devices, sheets: records } = keys
  return { identity, devices, passphrase, hasKeys: devices.length > 0, records }
}
