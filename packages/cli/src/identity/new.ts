import { join } from 'node:path'
import type { CreatedKeys, Device } from '#client'
import type { KeySet } from '#client/backup'
import type { Secret } from '#client/text'
import { usage } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { flag, type Given, option, type Result } from '../result.ts'
import { NOBODY, type Profile } from '../settings/profiles.ts'

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
  const { Identity, Device } = await import('#client/identity')
  const identity = begun?.identity ?? (await Identity.create())
  if (flag(given, 'local')) return local(context, profile, identity, flag(given, 'keychain'))
  const { CAPABILITIES } = await import('#client/functions')
  const device = begun?.devices[0] ?? (await Device.create({ origin: ORIGIN, capabilities: [...CAPABILITIES] }))
  const { did } = identity
  const passphrase =
    begun?.passphrase ?? (await context.keys.newPassphrase(did, { inKeychain: flag(given, 'keychain') }))
  const recovery = context.pathOf(
    option(given, 'recovery') ?? join(context.folders.data, 'recovery', `${did.slice(8)}.json`),
  )
  const keep = async ({ kept, successor }: CreatedKeys) => {
    const { KeyFile } = await import('#client/node')
    await new KeyFile(recovery).save({ identity: successor }, passphrase)
    await context.keys.write(did, { identity, devices: [device], recovery: kept }, passphrase)
    await context.profiles.write(options.profile, { ...profile, ...NOBODY, did })
  }
  const client = await context.client('nobody')
  const made = await client.createIdentity({ identity, device, keep })
  await context.keys.write(did, { identity, devices: [made.device], recovery: made.kept }, passphrase)
  context.output.warn(`${recovery} has the recovery key: move it to another place than this machine.`)
  return {
    data: { did, deviceId: made.device.deviceId, keys: context.keys.pathOf(did), recovery },
    text: [
      `${did} is registered at ${profile.core}.`,
      `Keys      ${context.keys.pathOf(did)}`,
      `Recovery  ${recovery}`,
      'Next: svc did register, so that others can find your keys',
    ],
  }
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
    data: { did, deviceId: null, keys: path, recovery: null },
    text: [`${did} has keys on this machine, and is not registered.`, `Keys      ${path}`, 'Next: svc chain init'],
  }
}

interface Begun {
  readonly identity: NonNullable<KeySet['identity']>
  readonly devices: readonly Device[]
  readonly passphrase: Secret
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
  return { identity: keys.identity, devices: keys.devices, passphrase }
}
