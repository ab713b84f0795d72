import type { Client } from '@svc/client'
import { usage } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { argument, flag, type Given, list, type Result } from '../result.ts'

const PREFIX = 'svc:pair:'
const ORIGIN = 'app:svc'

/** Code, token and DID of an offer in one line. It lets a device ask to join; the confirmation code decides. */
export interface Link {
  readonly code: string
  readonly token: string
  readonly did: string
}

export function linkOf({ code, token, did }: Link): string {
  return `${PREFIX}${code}.${token}.${did}`
}

export function parseLink(text: string): Link {
  const [, code, token, did] = /^svc:pair:([^.]+)\.([^.]+)\.(did:svc:[\w-]{32})$/.exec(text.trim()) ?? []
  if (code !== undefined && token !== undefined && did !== undefined) return { code, token, did }
  throw usage('This is not a link of svc device pair', 'copy the whole line, which begins with svc:pair:')
}

type Capability = NonNullable<Parameters<Client['devices']['attest']>[1]>['capabilities']

/** The side that has the root key. A person compares the codes, so it needs a terminal. */
export async function pair(context: Context, given: Given): Promise<Result> {
  const { isTerminal, prompts } = context.environment
  if (!isTerminal) throw usage('A person has to compare two codes, and there is no terminal', 'run it in a terminal')
  const client = await context.client()
  const offer = await client.pairing.offer()
  const link = linkOf(offer)
  context.output.say(`On the other device, within ten minutes:\n\n  svc device join '${link}'\n`)
  if (flag(given, 'qr')) {
    const { encodeQR } = await import('qr')
    context.output.say(encodeQR(link, 'ascii'))
  }
  const request = await client.pairing.wait(offer.code)
  const { deviceId, capabilities } = request.acceptance.statement
  const allowed = list(given, 'capability') as Capability
  const granted = allowed && allowed.length > 0 ? { capabilities: allowed } : {}
  context.output.say(`The device ${deviceId} asks for ${capabilities.join(', ') || 'nothing'}.`)
  const confirmed = await context.output.asking(() => prompts.text('The code that the other device shows'))
  if (confirmed === null) {
    await client.pairing.cancel(offer.code)
    throw usage('No code was typed, so the offer has ended', 'run it again')
  }
  const attestation = await client.pairing.approve(offer.code, confirmed, granted)
  await client.pairing.seal(offer.code, attestation)
  return { data: { did: offer.did, deviceId }, text: `The device ${deviceId} has joined ${offer.did}.` }
}

/** The new device. Its keys are stored once it is a member. */
export async function join(context: Context, given: Given): Promise<Result> {
  const link = parseLink(argument(given, 0))
  const profile = await context.profile()
  if (profile.did !== null && profile.did !== link.did)
    throw usage(`This profile has the identity ${profile.did}`, 'join in a profile of its own: svc init --profile NAME')
  const [{ Device }, { CAPABILITIES }] = await Promise.all([
    import('@svc/client/identity'),
    import('@svc/client/functions'),
  ])
  const asked = list(given, 'capability')
  const capabilities = CAPABILITIES.filter((name) => asked.length === 0 || asked.includes(name))
  if (asked.length > capabilities.length)
    throw usage('A capability has an unknown name', `choose from ${CAPABILITIES.join(', ')}`)
  if (await context.keys.has(link.did))
    throw usage(`The keys of ${link.did} are on this machine already`, 'svc id list')
  const device = await Device.create({ origin: ORIGIN, capabilities })
  const passphrase = await context.keys.newPassphrase(link.did, { inKeychain: flag(given, 'keychain') })
  const client = await context.client('nobody')
  const { confirmationCode } = await client.pairing.join(link, device)
  context.output.say(
    `Type this code on the other device, if it shows the device ${device.deviceId}:\n\n  ${confirmationCode}\n`,
  )
  const welcome = await client.pairing.waitToTake(link, device)
  await context.keys.write(link.did, { devices: [welcome.device] }, passphrase)
  await context.profiles.write(context.options.profile, { ...profile, did: link.did, signer: null, lineage: null })
  return {
    data: { did: link.did, deviceId: device.deviceId, keys: context.keys.pathOf(link.did) },
    text: `This device has joined ${link.did}.`,
  }
}
