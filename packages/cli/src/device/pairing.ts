import type { Client, Device } from '#client'
import { usage } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { mustBeNew, writeNew } from '../files.ts'
import { argument, flag, type Given, list, option, type Result } from '../result.ts'
import { NOBODY } from '../settings/profiles.ts'
import { countsLine } from './devices.ts'

const PREFIXES = { pairing: 'svc:pair:', authorization: 'svc:authorize:' } as const
const ORIGIN = 'app:svc'

/** An invitation, and which of the two ways of the SDK it is for. It lets a device ask to join; the confirmation code decides. */
export interface Link {
  /** Ten groups of four characters. */
  readonly invitation: string
  readonly way: keyof typeof PREFIXES
}

export function linkOf({ invitation, way }: Link): string {
  return PREFIXES[way] + invitation
}

/** A person who types may leave out what stands before the invitation, if it is for pairing. */
export async function parseLink(text: string): Promise<Link> {
  const { readInvitation } = await import('#client/functions')
  const given = text.trim()
  const way = given.startsWith(PREFIXES.authorization) ? 'authorization' : 'pairing'
  const invitation = given.startsWith(PREFIXES[way]) ? given.slice(PREFIXES[way].length) : given
  const read = readInvitation(invitation)
  if (read.ok) return { invitation, way }
  switch (read.error.reason) {
    case 'wrong_length':
      throw usage(
        'This is not an invitation of svc device pair',
        'copy the whole line: it ends with ten groups of four',
      )
    case 'foreign_character':
      throw usage(
        `Group ${read.error.group} has a character that no invitation has`,
        'compare it with the other screen',
      )
    case 'typing_error':
      throw usage('The invitation has a typing error', 'compare it with the other screen, group by group')
  }
}

type Capability = NonNullable<Parameters<Client['devices']['attest']>[1]>['capabilities']

/** The side that has the root key. A person compares the codes, at a terminal or through `--code`. */
export async function pair(context: Context, given: Given): Promise<Result> {
  const { isTerminal, prompts } = context.environment
  const file = option(given, 'code')
  if (file === undefined && !isTerminal)
    throw usage('A person has to compare two codes, and there is no terminal', 'run it in a terminal, or pass --code')
  const sent = option(given, 'send')
  const way = flag(given, 'relay') ? 'authorization' : 'pairing'
  if (way === 'authorization' && sent === undefined)
    throw usage('The relay hands a key to the device, and none is given', 'pass the file with it with --send')
  const payload = sent === undefined ? undefined : await context.read(sent)
  const { client, devices } = await acting(context)
  const rendezvous = client[way]
  const { did, invitation } = await rendezvous.offer()
  const link = linkOf({ invitation, way })
  context.output.say(
    `On the other device, within ten minutes:\n\n  svc device join '${link}'\n\nIt must show this identity:\n\n  ${did}\n`,
  )
  if (flag(given, 'qr')) {
    const { encodeQR } = await import('qr')
    context.output.say(encodeQR(link, 'ascii'))
  }
  const request = await rendezvous.wait(invitation)
  const { deviceId, capabilities } = request.acceptance.statement
  const allowed = list(given, 'capability') as Capability
  const granted = allowed && allowed.length > 0 ? { capabilities: allowed } : {}
  context.output.say(`The device ${deviceId} asks for ${capabilities.join(', ') || 'nothing'}.`)
  const confirmed =
    file === undefined
      ? await context.output.asking(() => prompts.text('The code that the other device shows'))
      : (await context.readText(file)).trim()
  if (confirmed === null) {
    await rendezvous.cancel(invitation)
    throw usage('No code was typed, so the offer has ended', 'run it again')
  }
  const agreedBy = await countingDevice(context, client, devices)
  const attestation = await rendezvous.approve(invitation, confirmed, { ...granted, ...(agreedBy && { agreedBy }) })
  if (way === 'authorization') await client.authorization.grant(invitation, attestation, payload ?? new Uint8Array())
  else await client.pairing.seal(invitation, attestation, payload)
  // The device has joined, whatever core answers now.
  const devicesNow = await known(context, client).catch(() => [])
  const countsAt = devicesNow.find((device) => device.deviceId === deviceId)?.countsAt ?? null
  const readsNotes = attestation.statement.capabilities.includes('notes:read')
  return {
    data: { did, deviceId, countsAt },
    text: [
      `The device ${deviceId} has joined ${did}.`,
      ...countsLine(countsAt, context.environment.now()),
      ...(readsNotes && (await hasNotes(client))
        ? ['It cannot read the notes that you have yet. Next: svc note share --all']
        : []),
    ],
  }
}

/** Returns a client of the root key, and the devices whose keys are on this machine. */
async function acting(context: Context): Promise<{ readonly client: Client; readonly devices: readonly Device[] }> {
  const { signer } = await context.profile()
  if (signer) return { client: await context.client(), devices: [] }
  const keys = await context.ownKeys()
  return { client: await context.clientOf(keys), devices: keys.devices }
}

async function known(context: Context, client: Client) {
  const { standingDevices } = await import('#client/functions')
  return standingDevices(client, await context.did(), context.environment.now())
}

/** Returns a device of this machine with standing. It agrees, so that the new device gains standing after a day. */
async function countingDevice(context: Context, client: Client, devices: readonly Device[]) {
  if (devices.length === 0) return undefined
  const counting = (await known(context, client)).filter(
    ({ standing, countsAt }) => standing === 'active' && countsAt === null,
  )
  return devices.find(({ deviceId }) => counting.some((one) => one.deviceId === deviceId))
}

/** Only for a hint: the device has joined, whatever the vault answers. */
async function hasNotes({ notes }: Client): Promise<boolean> {
  try {
    for await (const { status } of notes.all()) if (status === 'stored') return true
  } catch {}
  return false
}

/** The new device. Its keys are stored once it is a member. */
export async function join(context: Context, given: Given): Promise<Result> {
  const { invitation, way } = await parseLink(argument(given, 0))
  const out = context.pathOf(option(given, 'out') ?? 'received')
  await mustBeNew(out)
  const profile = await context.profile()
  const rendezvous = (await context.client('nobody'))[way]
  const { did } = await rendezvous.offerer(invitation)
  if (profile.did !== null && profile.did !== did)
    throw usage(`This profile has the identity ${profile.did}`, 'join in a profile of its own: svc init --profile NAME')
  const [{ Device }, { CAPABILITIES }] = await Promise.all([import('#client/identity'), import('#client/functions')])
  const asked = list(given, 'capability')
  const capabilities = CAPABILITIES.filter((name) => asked.length === 0 || asked.includes(name))
  if (asked.length > capabilities.length)
    throw usage('A capability has an unknown name', `choose from ${CAPABILITIES.join(', ')}`)
  const before = (await context.keys.has(did)) ? await context.keys.open(did) : null
  if (before?.keys.identity) throw usage(`The root key of ${did} is on this machine`, 'svc device list')
  // After a rotation, a device joins again with the key that it has.
  const device = before?.keys.devices[0] ?? (await Device.create({ origin: ORIGIN, capabilities }))
  const passphrase =
    before?.passphrase ?? (await context.keys.newPassphrase(did, { inKeychain: flag(given, 'keychain') }))
  const { confirmationCode } = await rendezvous.join(invitation, device)
  context.output.say(
    `This device joins:\n\n  ${did}\n\nIf the other device shows this identity and the device ${device.deviceId}, type this code there:\n\n  ${confirmationCode}\n`,
  )
  const welcome = await rendezvous.waitToTake(invitation, device)
  await context.keys.write(did, { ...before?.keys, devices: [welcome.device] }, passphrase)
  await context.profiles.write(context.options.profile, {
    ...profile,
    ...NOBODY,
    did,
    device: { deviceId: device.deviceId, epoch: welcome.device.epoch },
  })
  const member = await context.clientOf({
    identity: null,
    former: before?.keys.former ?? [],
    devices: [welcome.device],
  })
  await member.devices.confirm()
  const received = welcome.payload === null ? null : out
  if (received !== null && welcome.payload) await writeNew(received, welcome.payload)
  return {
    data: { did, deviceId: device.deviceId, keys: context.keys.pathOf(did), received },
    text: [`This device has joined ${did}.`, ...(received === null ? [] : [`Wrote ${received}`])],
  }
}
