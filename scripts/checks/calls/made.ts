/**
 * Makes what the calls of the API reference start from, on the shared platform.
 *
 * @module
 */
import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { Client, Device, Identity } from '@svc/client'
import { makeKeyPackage, makePrekeys, mlDsa65 } from '@svc/client/functions'
import { SignIn } from '@svc/client/sign-in'
import { verifyDelivery } from '@svc/client/verify'
import { licenceAct, newCode, type OperatorAct, sendOperatorAct } from '@svc/operations/operator-act'
import { governorOf } from '@svc/platform/callers/governor'
import { sharedPlatform } from '@svc/platform/shared-platform'
import type { Given, Person } from '@svc/site/calls/given'

const { urls, secrets, mail, gatewayUrl } = sharedPlatform()
export const ORIGIN = 'http://localhost:3000'
const PASSWORD = 'correct horse battery staple'
const EPOCH_MS = 90_000
/** What the widget of Turnstile returns with its testing keys. */
const TESTING_TOKEN = 'XXXX.DUMMY.TOKEN.XXXX'

/** As the preamble makes it. */
export async function person(): Promise<Person> {
  const identity = await Identity.create()
  const client = await Client.connect({ core: urls.core, identity, origin: ORIGIN })
  await client.chain.genesis()
  return { identity, client }
}

interface Making {
  readonly owner: Person
  readonly org: Promise<{ readonly org: Person; readonly officer: Person }>
}

type Makers = { readonly [Name in keyof Given]: (making: Making) => Given[Name] | Promise<Given[Name]> }

const MAKERS: Makers = {
  core: () => urls.core,
  origin: () => ORIGIN,
  identity: ({ owner }) => owner.identity,
  client: ({ owner }) => owner.client,
  person: () => new SignIn({ auth: urls.auth, origin: ORIGIN }),
  friend: () => person(),
  org: async ({ org }) => (await org).org,
  officer: async ({ org }) => (await org).officer,
  subscriber,
  governor,
  cosigner: async ({ owner }) => {
    const device = await deviceOf(owner)
    await pastWindow()
    return Client.connect({ core: urls.core, device, origin: ORIGIN })
  },
  approved: async ({ owner }) => {
    const rotation = await rotationOf(owner, 1)
    const about = { did: owner.identity.did, rotationId: rotation.rotationId }
    await operator('core', { type: 'svc/operator-rotation-approve/v1', service: 'core', members: about })
    return rotation
  },
  due: async ({ owner }) => {
    const rotation = await rotationOf(owner, 2)
    await pastWindow()
    return rotation
  },
  registered: async () => {
    const { identity, client } = await person()
    await client.did.register()
    return identity.did
  },
  device: ({ owner }) => deviceOf(owner),
  phone: async ({ owner }) => published(owner, await deviceOf(owner)),
  assetId: mint,
  cid: async () => {
    const added = await fetch(gatewayUrl, { method: 'POST', body: randomBytes(2_000) })
    return added.text()
  },
  code: async () => {
    const { code, act } = newCode('provenance', 30)
    await operator('pay', act)
    return code
  },
  epoch: openEpoch,
  msgId: async (making) => deliver(making.owner, await mint(making)),
  name: async () => register(new SignIn({ auth: urls.auth, origin: ORIGIN })),
  note: async ({ owner: { client } }) => {
    const note = await client.notes.put({ title: 'Recipe', body: 'eggs' })
    return client.notes.attach(note, { name: 'photo', type: 'image/png', bytes: new Uint8Array(1_000) })
  },
  otp: () => (assetId) => mail.codeIn(assetId),
  receiver: ({ owner }) => receiverOf(owner),
  rotated: async ({ owner }) => {
    const successor = await owner.identity.successor()
    const rotation = await owner.client.rotation.request(
      await owner.client.rotation.makeRequest(successor, { version: 2 }),
    )
    await pastWindow()
    await owner.client.rotation.activate(rotation)
    const client = await Client.connect({ core: urls.core, identity: successor, origin: ORIGIN })
    return { client, rotationId: rotation.rotationId }
  },
  session: async () => {
    const signIn = new SignIn({ auth: urls.auth, origin: ORIGIN })
    const entered = await signIn.logIn(await register(signIn), PASSWORD)
    if (!entered) throw new Error('no session')
    return entered.session
  },
  signed: async ({ owner: { identity } }) => {
    const message = new TextEncoder().encode('hello')
    const signature = await mlDsa65.sign(identity.revealSeeds().signing, message)
    return {
      publicKeyB64u: identity.publicKeyB64u,
      messageB64u: base64url(message),
      signatureB64u: base64url(signature),
    }
  },
}

/** What a call names. Whatever else it used would be undefined. */
export async function given(names: readonly string[]): Promise<Given> {
  const owner = await person()
  let org: Making['org'] | undefined
  const making: Making = {
    owner,
    get org() {
      org ??= organization()
      return org
    },
  }
  const made: [string, unknown][] = []
  for (const name of names) made.push([name, await MAKERS[name as keyof Given](making)])
  return Object.fromEntries(made) as unknown as Given
}

const base64url = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url')

async function operator(service: 'core' | 'keys' | 'pay', act: OperatorAct | null): Promise<void> {
  if (!act) throw new Error('no act')
  const to = { service: urls[service], realm: urls.core }
  const { status } = await sendOperatorAct(to, secrets.operatorSeed, act, { origin: ORIGIN })
  if (status !== 200) throw new Error(`the act was answered by ${status}`)
}

/** One at a time is open. It closes soon, so that other tests on this platform can have one of their own. */
async function openEpoch({ owner }: Making): Promise<number> {
  const { epoch: open } = await owner.client.epochs.current()
  if (open !== null) return open.number
  const now = Date.now()
  const members = { epoch: Math.floor(now / 1_000), opensAt: now, closesAt: now + EPOCH_MS }
  await operator('keys', { type: 'svc/operator-epoch/v1', service: 'keys', members })
  return members.epoch
}

async function organization() {
  const [org, officer] = [await person(), await person()]
  const statement = await org.client.organization.makeInception(
    [officer.identity.did],
    1,
    await org.client.devices.head(),
  )
  await org.client.organization.incept(statement, [await officer.client.organization.accept(statement)])
  await operator('pay', licenceAct(['grant-plan', org.identity.did, 'provenance', '30'], Date.now()))
  return { org, officer }
}

async function deviceOf({ identity, client }: Person): Promise<Device> {
  const capabilities = ['prekeys:write', 'chain:read', 'chain:append', 'rotation:cosign', 'account:read'] as const
  const device = await Device.create({ origin: ORIGIN, capabilities })
  const attestation = await client.devices.attest(await device.acceptance(identity.did, client))
  return device.attested(attestation, await client.keyHistory.of(identity.did), client.realms)
}

async function published({ client }: Person, device: Device): Promise<Device> {
  const { upload } = await makePrekeys(device, client, { count: 3 })
  await client.keyDirectory.publish(await makeKeyPackage(device, client), { prekeys: [upload], version: 1 })
  return device
}

async function rotationOf({ identity, client }: Person, version: 1 | 2) {
  return client.rotation.request(await client.rotation.makeRequest(await identity.successor(), { version }))
}

/** A day on other deployments. */
async function pastWindow(): Promise<void> {
  const { features } = await (await person()).client.capabilities()
  await setTimeout(features.rotation.windowMs + 100)
}

/** One identity for each platform, since a policy names its signers and outlives this run. */
async function governor(): Promise<Person> {
  const identity = await governorOf(secrets.operatorSeed)
  const client = await Client.connect({ core: urls.core, identity, origin: ORIGIN })
  const isThere = await client.chain.head().then(
    () => true,
    () => false,
  )
  if (!isThere) await client.chain.genesis()
  const founded = await client.governance.policy().catch(() => null)
  if (founded) return { identity, client }
  const policy = { version: 'v1', threshold: 1, signers: [{ id: 'one', publicKeyB64u: identity.publicKeyB64u }] }
  const members = { policy, previousPolicyId: null }
  await operator('core', { type: 'svc/operator-governance-policy/v1', service: 'core', members })
  return { identity, client }
}

/** A stranger’s message about an asset. */
async function deliver({ client }: Person, assetId: string): Promise<string> {
  const email = `grace.${randomBytes(4).toString('hex')}@example.org`
  const contact = await client.contact.request({ assetId, fromEmail: email, challengeToken: TESTING_TOKEN })
  const envelope = await client.contact.seal(contact, { name: 'Grace', email, subject: 'Hello', message: 'Hello' })
  await client.contact.verify(contact, await mail.codeIn(assetId), envelope)
  const [message] = (await client.inbox.list()).messages
  return message?.msgId ?? ''
}

/** Answers the challenge of a hook once. */
async function receiverOf({ identity, client }: Person): Promise<string> {
  const { signed } = await client.events.read()
  const server = createServer((request, response) => {
    const { port } = server.address() as AddressInfo
    const expected = {
      did: identity.did,
      url: addressAt(port),
      realms: client.realms,
      receiptKeyB64u: signed.publicKeyB64u,
    }
    void text(request)
      .then((body) => verifyDelivery(JSON.parse(body), expected))
      .then((delivery) => {
        response.setHeader('content-type', 'application/json')
        response.end(delivery.kind === 'challenge' ? JSON.stringify(delivery.answer) : '{}')
      })
  })
  await new Promise<void>((resolve) => {
    server.listen(0, 'localhost', resolve)
  })
  server.unref()
  return addressAt((server.address() as AddressInfo).port)
}

const addressAt = (port: number) => `http://localhost:${port}/hook`

/** Pays on the development page. */
async function subscriber(): Promise<Person> {
  const one = await person()
  const { id } = await one.client.pay.intent('atelier-month')
  const headers = { 'content-type': 'application/x-www-form-urlencoded', origin: ORIGIN }
  await fetch(`${urls.pay}/pay/dev/checkout`, {
    method: 'POST',
    headers,
    body: new URLSearchParams({ id, outcome: 'pay' }).toString(),
  })
  return one
}

/** Messages are encrypted to the key that the owner registers. */
async function mint({ owner }: Making): Promise<string> {
  await owner.client.did.register()
  const { asset } = await owner.client.assets.mint({
    media: { mime: 'image/png', bytes: 1_234, cid: 'bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi' },
    metadataHash: randomBytes(48).toString('hex'),
  })
  return asset.assetId
}

async function register(signIn: SignIn): Promise<string> {
  const name = `carol-${randomBytes(4).toString('hex')}`
  const { grant } = await signIn.challenge(TESTING_TOKEN, 'register')
  await signIn.register(grant ?? '', name, PASSWORD)
  return name
}
