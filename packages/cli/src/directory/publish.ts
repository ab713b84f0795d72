import type { MadePrekeys } from '#client'
import { locked } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { count, flag, type Given, type Result } from '../result.ts'
import { PrekeySecrets } from './secret.ts'

const MAX_PREKEYS = 100

/** The secrets are kept before anything is published: a prekey whose secret nobody has loses messages. */
export async function publish(context: Context, given: Given): Promise<Result> {
  const did = await context.did()
  const { keys, passphrase } = await context.keys.open(did)
  const device = keys.devices.find(({ membership }) => membership !== null)
  if (!device) throw locked('key_missing', 'There is no device of this identity here', 'svc id new, or svc device join')
  const { deviceId } = device
  const number = count(given, 'count', MAX_PREKEYS)
  const isAdding = flag(given, 'add')
  if (context.options.dryRun) return { data: { deviceId }, text: `Would publish ${deviceId} with ${number} prekeys.` }
  const client = isAdding
    ? await context.clientOf({ ...keys, identity: null, devices: [device] })
    : await context.clientOf(keys)
  const signing = { realm: client.realm, now: context.environment.now() }
  const { makeKeyPackage, makePrekeys } = await import('#client/functions')
  const made = await makePrekeys(device, signing, { count: number })
  const secrets = await keep(new PrekeySecrets(context, deviceId, passphrase), made)
  const prekeys = [made.upload]
  if (isAdding) {
    const stock = await client.keyDirectory.addPrekeys(deviceId, prekeys)
    return shown({ deviceId, leafId: null, stock, secrets })
  }
  const published = await client.keyDirectory.publish(await makeKeyPackage(device, signing), { prekeys })
  return shown({ deviceId, leafId: published.package.leafId, stock: published.stock, secrets })
}

interface Published {
  readonly deviceId: string
  readonly leafId: string | null
  readonly stock: readonly { readonly oneTime: number; readonly low: boolean }[]
  readonly secrets: string
}

function shown(published: Published): Result {
  const { deviceId, stock, secrets } = published
  const left = stock.map(({ oneTime, low }) => `${oneTime} prekeys${low ? ', few' : ''}`).join('; ')
  return { data: published, text: [`${deviceId}: ${left}`, `Secrets  ${secrets}`] }
}

async function keep(secrets: PrekeySecrets, { seeds }: MadePrekeys): Promise<string> {
  const made = [...seeds].map(([id, seed]) => [id, Buffer.from(seed).toString('base64url')] as const)
  await secrets.add(Object.fromEntries(made))
  return secrets.path
}
