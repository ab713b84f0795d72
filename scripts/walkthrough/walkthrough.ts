import { type ChainBlock, Client, Identity } from '@svc/client'
import { exportKeys, importKeys } from '@svc/client/backup'
import { serviceErrorOf } from '@svc/client/functions'
import { safeVerifyChain } from '@svc/client/verify'
import { smoke } from '@svc/operations/smoke'
import type { DevSecrets } from '@svc/platform/dev-secrets'
import type { LocalMail } from '@svc/platform/local/mail'
import { encodeBase64url } from '@svc/protocol/base/base64url'
import { jcs } from '@svc/protocol/base/jcs'
import { anchorsAndAssets } from './anchors-and-assets.ts'
import { beacon } from './beacon.ts'
import { consent } from './consent.ts'
import { discovery } from './discovery.ts'
import { images } from './images.ts'
import { inbox } from './inbox.ts'
import { guardiansAndEpochs, keyDirectory } from './key-directory.ts'
import { lifeOfAKey } from './life-of-a-key.ts'
import { notes } from './notes.ts'
import { imports } from './operator/imports.ts'
import { organizations } from './organizations.ts'
import { payments } from './payments.ts'
import { provenance } from './provenance.ts'
import { recovery } from './recovery.ts'
import { reportTo } from './report.ts'
import { providerRecovery } from './sign-in/provider-recovery.ts'
import { accountPage, signIn } from './sign-in/sign-in.ts'
import { signerOf } from './signer.ts'
import { similarity } from './similarity.ts'
import { named, type Person, person, type Show, type World } from './world.ts'

export interface WalkthroughOptions {
  readonly urls: Record<string, string>
  readonly secrets: DevSecrets
  readonly gatewayUrl: string
  readonly mail: LocalMail
  readonly print: (line: string) => void
}

/** Uses the running platform as a group of people would, and returns whether every step gave the expected result. */
export async function walkthrough({ urls, secrets, gatewayUrl, mail, print }: WalkthroughOptions): Promise<boolean> {
  const { show, passed } = reportTo(print)
  await services(urls, show)
  await fromOutside(urls, show)
  const { core = '', did = '', pay = '', auth = '', keys = '', consent: consentUrl = '' } = urls
  const { discovery: found } = await Client.connect({ core })
  if (!found) throw new TypeError('A connected client has what it discovered')
  const places = { core, did, pay, keys, consent: consentUrl, provenance: urls['provenance'] ?? '', discovery: found }
  const people = { alice: await person(places), bob: await person(places) }
  const world = { ...places, auth, urls, ...people, secrets, gatewayUrl, mail }
  await lifeOfAChain(world, show)
  await dids(world, show)
  await lifeOfAKey(world, show)
  await recovery(world, show)
  await anchorsAndAssets(world, show)
  await inbox(world, show)
  await notes(world, show)
  await organizations(world, show)
  await provenance(world, show)
  await payments(world, show)
  await discovery(world, show)
  await similarity(world, show)
  await images(world, show)
  await consent(world, show)
  await imports(world, show)
  await keyDirectory(world, show)
  await guardiansAndEpochs(world, show)
  await beacon(world, show)
  await signIn(world, show)
  await accountPage(world, show)
  await providerRecovery(world, show)
  await whatMustFail(world, show)
  return passed()
}

/** The checks of `scripts/smoke`. */
async function fromOutside(urls: Record<string, string>, show: Show): Promise<void> {
  for (const [name, url] of Object.entries(urls))
    await show(`${name}: passes the smoke test`, 'in order', async () => {
      const { checks } = await smoke(url, { origin: 'http://localhost:3000', fetch: asAnotherAddress })
      const faults = checks.flatMap(({ name: check, fault }) => (fault === null ? [] : [`${check} ${fault}`]))
      return faults.join('; ') || 'in order'
    })
}

/** Another address, so that these requests do not count against the rate limits of the walk-through. */
const asAnotherAddress: typeof fetch = (input, init) => {
  const headers = new Headers(init?.headers)
  headers.set('cf-connecting-ip', '198.51.100.7')
  return fetch(input, { ...init, headers })
}

async function services(urls: Record<string, string>, show: Show): Promise<void> {
  for (const [name, url] of Object.entries(urls)) {
    await show(`${name}: is alive`, '200', async () => String((await fetch(`${url}/health`)).status))
  }
}

async function lifeOfAChain({ alice, bob }: World, show: Show): Promise<void> {
  for (const [name, { identity, client }] of Object.entries({ alice, bob })) {
    await show(`${name}: genesis`, identity.did, async () => (await client.chain.genesis()).did)
    for (const index of ['1', '2', '3']) {
      const payload = new TextEncoder().encode(`${name} ${index}`)
      await show(`${name}: appends block ${index}`, index, async () => {
        return (await client.chain.append({ payload, contentType: 'text/plain' })).index
      })
    }
    await show(`${name}: reads the head`, '3', async () => (await client.chain.head()).index)
    await show(`${name}: reads the payload of block 2`, `${name} 2`, async () => {
      return new TextDecoder().decode((await client.chain.payload('2')).bytes)
    })
    await show(`${name}: verifies the whole chain locally`, 'head 3', async () => {
      const { index } = await client.chain.verify()
      return `head ${index}`
    })
  }
  await show('bob: appends under a security hold, then after it', '409 security_hold, then 4', async () => {
    await bob.client.security.placeHold()
    const refused = await bob.client.chain.append({}).then(() => 'appended', named)
    await bob.client.security.liftHold()
    return `${refused}, then ${(await bob.client.chain.append({})).index}`
  })
  await show('alice: reads back a payload above 64 KiB', '100000', async () => {
    const appended = await alice.client.chain.append({ payload: new Uint8Array(100_000).fill(7) })
    return String((await alice.client.chain.payload(appended.hash)).bytes.length)
  })
  await show(
    'bob: reads alice’s root key without a credential',
    alice.identity.publicKeyB64u.slice(0, 16),
    async () => {
      return (await bob.client.chain.root(alice.identity.did)).publicKeyB64u.slice(0, 16)
    },
  )
  await show('alice: her exported identity opens with its passphrase', alice.identity.did, async () => {
    const exported = await exportKeys({ identity: alice.identity }, 'correct horse battery staple')
    const { identity } = await importKeys(JSON.parse(JSON.stringify(exported)), 'correct horse battery staple')
    return identity?.did ?? 'none'
  })
  await show('alice: core verifies her signature', 'true', async () => {
    const message = new TextEncoder().encode('signed by alice')
    const verified = await bob.client.safeVerifySignature({
      alg: 'ml-dsa-65',
      messageB64u: encodeBase64url(message),
      signatureB64u: encodeBase64url(await signerOf(alice.identity)(message)),
      publicKeyB64u: alice.identity.publicKeyB64u,
    })
    return String(verified.ok)
  })
  await show('alice: core computes the same digest of a note header', 'v2', async () => {
    const prepared = await alice.client.prepareHeader({
      userId: alice.identity.userId,
      noteId: 'note-1',
      deviceId: 'laptop',
      operation: 'create',
      contentType: 'text/plain',
      contentLength: 5,
      timestamp: '2026-11-21T12:00:00Z',
      app: { name: 'walk-through', version: '1.0.0' },
    })
    return prepared.policyVersion
  })
}

async function dids({ alice, bob }: World, show: Show): Promise<void> {
  const { did } = alice.identity
  await show(
    'alice: her DID does not resolve before she registers',
    'https://www.w3.org/ns/did#NOT_FOUND',
    async () => {
      return (await bob.client.did.resolve(did)).didResolutionMetadata.error?.type ?? 'resolved'
    },
  )
  await show('alice: registers her DID', did, async () => {
    const home = [{ id: '#home', type: 'LinkedDomains', serviceEndpoint: 'https://alice.example/' }]
    return (await alice.client.did.register({ services: home })).did
  })
  await show('bob: resolves it and checks its keys', did, async () => {
    return (await bob.client.did.resolve(did)).didDocument?.id ?? 'no document'
  })
  await show('bob: cannot resolve another DID method', 'https://www.w3.org/ns/did#METHOD_NOT_SUPPORTED', async () => {
    return (await bob.client.did.resolve('did:web:example.com')).didResolutionMetadata.error?.type ?? 'resolved'
  })
}

async function whatMustFail({ core, did, alice, bob }: World, show: Show): Promise<void> {
  const url = `${core}/api/chain/head`
  const get = async (authorization: string) => String((await fetch(url, { headers: { authorization } })).status)
  const assertion = (audience: string) => alice.identity.assertion({ audience, method: 'GET', url, now: Date.now() })
  await show('must fail: a spent assertion', '200 then 401', async () => {
    const authorization = await assertion('chain')
    return `${await get(authorization)} then ${await get(authorization)}`
  })
  await show('must fail: an assertion for another audience', '403', async () => get(await assertion('notes')))
  await show('must fail: no assertion', '401', async () => String((await fetch(url)).status))
  await show('must fail: a key without an identity', '401', async () => {
    const stranger = await Identity.create()
    return get(await stranger.assertion({ audience: 'chain', method: 'GET', url, now: Date.now() }))
  })
  await show('must fail: a block on a stale head', '409 stale_head', async () => {
    const head = await bob.client.chain.head()
    const block = await bob.client.chain.makeBlock({ index: '1', hash: head.hash }, {})
    return refusal(bob, core, block)
  })
  await show('must fail: a block signed by another key', '403 invalid_signature', async () => {
    const block = await bob.client.chain.makeBlock(await bob.client.chain.head(), {})
    const other = await alice.client.chain.makeBlock(await bob.client.chain.head(), {})
    return refusal(bob, core, { ...block, signature: other.signature })
  })
  await show('must fail: a tampered block in a downloaded chain', 'invalid_signature', async () => {
    const blocks: ChainBlock[] = []
    for await (const block of alice.client.chain.blocks()) blocks.push(block)
    const [tampered] = blocks.splice(2, 1)
    if (tampered) blocks.splice(2, 0, { ...tampered, timestamp: '1' })
    const verified = await safeVerifyChain(blocks, alice.identity.did)
    return verified.ok ? 'verified' : verified.error.reason
  })
  await show('bob: deactivates his identity and DID', 'deactivated', async () => {
    await bob.client.did.register()
    await bob.client.security.deactivate()
    const { didDocument, didDocumentMetadata } = await alice.client.did.resolve(bob.identity.did)
    return didDocument === null && didDocumentMetadata.deactivated ? 'deactivated' : 'resolved'
  })
  await show('must fail: an append by a deactivated identity', '401 unauthorized', async () => {
    return bob.client.chain.append({}).then(() => 'appended', named)
  })
  await show('must fail: registering from an Origin that is not allowed', '403 cors_denied', async () => {
    const client = new Client({ core, did, identity: alice.identity, origin: 'https://stranger.example' })
    return client.did.register().then(() => 'registered', named)
  })
}

/** Sends a block unchanged and returns the refusal. */
async function refusal({ identity }: Person, core: string, block: ChainBlock): Promise<string> {
  const url = `${core}/api/chain/append`
  const body = new TextEncoder().encode(jcs(block))
  const authorization = await identity.assertion({ audience: 'chain', method: 'POST', url, body, now: Date.now() })
  const response = await fetch(url, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body,
  })
  if (response.ok) return 'accepted'
  return named(serviceErrorOf(response.status, await response.json(), response.headers))
}
