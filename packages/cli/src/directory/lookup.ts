import { usage } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { mustBeNew } from '../files.ts'
import { argument, type Given, option, type Result } from '../result.ts'
import { encapsulated } from './secret.ts'

export async function lookup(context: Context, given: Given): Promise<Result> {
  const { accountDid, seq, head, devices } = await (await context.client()).keyDirectory.list(argument(given, 0))
  return {
    data: { accountDid, seq, head, devices },
    text:
      devices.length === 0
        ? 'Nothing is published.'
        : devices.map(
            ({ deviceId, packages, revocation }) =>
              `${deviceId}  ${packages.map(({ profile, signer }) => profile + endOf(signer)).join(', ')}${revocation ? ', was revoked' : ''}`,
          ),
  }
}

/** For packages that are in force although core gives out no prekeys of their device. */
function endOf(signer: string | null): string {
  return signer === null || signer === 'active' ? '' : ` (its device is ${signer})`
}

export async function reserve(context: Context, given: Given): Promise<Result> {
  const [did, device] = [argument(given, 0), argument(given, 1)]
  if (context.options.dryRun) return { data: {}, text: `Would reserve a prekey of ${device}.` }
  const secret = option(given, 'secret')
  const file = secret === undefined ? null : context.pathOf(secret)
  if (file !== null) await mustBeNew(file)
  const [key, challengeToken, contactPassB64u] = [
    option(given, 'key'),
    option(given, 'challenge'),
    option(given, 'pass'),
  ]
  const { keyDirectory } = await context.client()
  const {
    prekey,
    receipt,
    usedFallback,
    package: found,
  } = await keyDirectory.reserve(did, device, {
    ...(key !== undefined && { key }),
    ...(challengeToken !== undefined && { challengeToken }),
    ...(contactPassB64u !== undefined && { contactPassB64u }),
  })
  const ciphertextB64u = file === null ? null : await encapsulated(prekey.publicKeyB64u, file)
  return {
    data: { prekey, receipt, usedFallback, package: found, ciphertextB64u, file },
    text: [
      `prekey  ${prekey.prekeyId}`,
      `key     ${prekey.publicKeyB64u}`,
      ...(file === null ? [] : [`secret  ${file}`, `send    ${ciphertextB64u}`]),
    ],
  }
}

/** The newest packages of the device: one that is published later counts again. */
export async function revoke(context: Context, given: Given): Promise<Result> {
  const deviceId = argument(given, 0)
  const did = await context.did()
  const { keyDirectory } = await context.client()
  const { devices } = await keyDirectory.list(did)
  const versions = devices.flatMap((device) =>
    device.deviceId === deviceId ? device.packages.map(({ version }) => version) : [],
  )
  if (versions.length === 0)
    throw usage(`Nothing of ${deviceId} is published`, `svc directory lookup ${did} shows what is`)
  if (context.options.dryRun) return { data: { deviceId }, text: `Would take back ${deviceId}.` }
  await context.confirm(`Take back the keys of ${deviceId}?`)
  const { leafId, revokedAt } = await keyDirectory.revoke(deviceId, Math.max(...versions))
  return { data: { deviceId, leafId, revokedAt }, text: `The keys of ${deviceId} are taken back.` }
}
