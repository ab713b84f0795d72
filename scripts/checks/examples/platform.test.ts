import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client, Identity } from '@svc/client'
import { capture } from '@svc/platform/command'
import { sharedPlatform } from '@svc/platform/shared-platform'
import { ROOT } from '@svc/platform/workspace'
import { expect, it } from 'vitest'
import { here } from '../running-platform/here.ts'
import { allBlocks, commandsOf } from './blocks.ts'
import { describeProgramsOf, isGuide } from './programs.fixture.ts'
import {
  type Block,
  base64url,
  bytesOf,
  call,
  consentMessage,
  headOfVerified,
  jcs,
  type Members,
  Person,
  sha3,
  verifies,
} from './stranger.ts'
import { Fingerprints, packed, type Tables } from './stranger-fingerprint.ts'

const ORIGIN = 'http://localhost:3000'
const { urls } = sharedPlatform()
const person = new Person()
const exampleOf = (name: string): unknown =>
  JSON.parse(allBlocks().find(({ info }) => info === `json example=${name}`)?.text ?? '')
const eightBytes = (value: number) => Buffer.from(value.toString(16).padStart(16, '0'), 'hex')
const by = (aud: string) => ({ person, aud })

it('has no line of this repository', () => {
  const sources = ['stranger', 'stranger-fingerprint'].map((name) =>
    readFileSync(join(ROOT, `scripts/checks/examples/${name}.ts`), 'utf8'),
  )
  const imported = sources.flatMap((source) => [...source.matchAll(/from '([^']+)'|import\(/g)].map(([, name]) => name))
  expect(imported).toEqual(['node:crypto'])
})

it('derives and verifies the test vectors of the page', async () => {
  const page = await (await fetch(`${urls.docs}/developer/vectors.md`)).text()
  const vectors = JSON.parse(/```json example=vectors\n([\s\S]+?)\n```/.exec(page)?.[1] ?? '') as Record<string, string>
  const { signingSeedHex = '', publicKeyB64u = '', assertionB64u = '', did = '' } = vectors
  expect(new Person(Buffer.from(signingSeedHex, 'hex'))).toMatchObject({
    publicKeyB64u,
    userId: vectors['userId'],
    did,
  })
  const signed = {
    messageSignature: Buffer.from('hello'),
    assertionSignature: bytesOf(assertionB64u),
    applicationSignature: jcs((exampleOf('message') as { statement: Members }).statement),
    consentSignature: consentMessage({
      content_hash: `sha3-384:${sha3(Buffer.from('hello'))}`,
      preferences: { search: 'allow', ai_training: 'disallow' },
      creator_did: did,
    }),
  }
  for (const [name, message] of Object.entries(signed)) {
    expect(verifies(publicKeyB64u, vectors[name] ?? '', message), name).toBe(true)
    expect(verifies(publicKeyB64u, vectors[name] ?? '', Buffer.concat([message, Buffer.from('.')])), name).toBe(false)
  }
})

it('creates an identity, appends, and verifies the chain', async () => {
  const block = person.genesis()
  const created = await call({ method: 'POST', url: `${urls.core}/api/genesis/init`, body: { block } })
  expect(created).toMatchObject({ status: 200, body: { data: { did: person.did, hash: sha3(jcs(block)) } } })

  const payload = Buffer.from('Grüße, 世界')
  const next = person.block({
    index: '1',
    previousHash: sha3(jcs(block)),
    dataHash: sha3(payload),
    contentType: 'text/plain; charset=utf-8',
  })
  const append = {
    method: 'POST',
    url: `${urls.core}/api/chain/append`,
    body: { ...next, payloadB64u: base64url(payload) },
  }
  const hash = sha3(jcs(next))
  expect(await call({ ...append, by: by('chain') })).toMatchObject({
    status: 201,
    body: { data: { index: '1', hash } },
  })
  const again = await call({ ...append, by: by('chain') })
  expect(again).toMatchObject({ status: 409, body: { error: 'stale_head', details: { appended: { hash } } } })

  const page = await call<{ data: { blocks: Block[] } }>({
    method: 'GET',
    url: `${urls.core}/api/chain/blocks?limit=200`,
    by: by('chain'),
  })
  expect(page.body.data.blocks).toHaveLength(2)
  expect(headOfVerified(page.body.data.blocks, person.did)).toBe(hash)
  expect(headOfVerified(page.body.data.blocks.slice(1), person.did)).toBeNull()
  expect(headOfVerified(page.body.data.blocks, new Person().did)).toBeNull()
  const read = await call<{ data: { payloadB64u: string } }>({
    method: 'GET',
    url: `${urls.core}/api/chain/payload/${hash}`,
    by: by('chain'),
  })
  expect(bytesOf(read.body.data.payloadB64u)).toEqual(payload)
})

it('registers its DID and resolves it', async () => {
  const register = {
    method: 'POST',
    url: `${urls.did}/1.0/register`,
    body: { did: person.did },
    headers: { origin: ORIGIN },
  }
  expect(await call({ ...register, by: by('identity') })).toMatchObject({ status: 200, body: { did: person.did } })
  const url = `${urls.did}/1.0/identifiers/${encodeURIComponent(person.did)}`
  expect(await call({ method: 'GET', url })).toMatchObject({ status: 200, body: { didDocument: { id: person.did } } })
})

it('registers a text by its own vectors, and an anonymous search finds an edited excerpt', async () => {
  const words = exampleOf('fingerprint-function-words') as string[]
  const replacements = exampleOf('fingerprint-replacements') as string[]
  const fingerprints = new Fingerprints(exampleOf('fingerprint-tables') as Tables, words, replacements)
  const text = Array.from({ length: 90 }, (_, i) => `harbour${i * i} ferries${i} winter${i % 7}`).join(', ')
  const { wordCount, chunks } = fingerprints.of(text)
  const placed = chunks.map(({ values, start, words: length }, index) =>
    Buffer.concat([...[index, start, length].map(eightBytes), packed(values)]),
  )
  const body = {
    asset_id: `text-${sha3(Buffer.concat([eightBytes(wordCount), ...placed])).slice(0, 32)}`,
    word_count: wordCount,
    chunks: chunks.map((chunk, index) => ({ index, ...chunk })),
  }
  const url = `${urls.provenance}/api/register/text`
  const registered = await call({ method: 'POST', url, body, by: by('provenance') })
  expect(registered).toMatchObject({ status: 200, body: { asset_id: body.asset_id, duplicate: false } })
  // The SDK derives the same id, so the text counts as a duplicate.
  const identity = await Identity.create()
  // A client does not call auth: sign-in is apart from it.
  const { auth: _, ...services } = urls
  const client = new Client({ ...services, origin: ORIGIN, identity })
  await client.chain.genesis()
  expect(await client.provenance.registerText(text)).toMatchObject({ asset_id: body.asset_id, duplicate: true })

  const part = fingerprints.of(text.slice(400, 1_200).toUpperCase().replaceAll(',', ' –'))
  const query = {
    vectors: part.chunks.map(({ values }) => values),
    word_count: part.wordCount,
    chunk_count: part.chunks.length,
  }
  const found = await call<{ data: { matches: object[] } }>({
    method: 'POST',
    url: `${urls.provenance}/api/query/text`,
    body: query,
  })
  expect(found.body.data.matches[0]).toMatchObject({ asset_id: body.asset_id })
})

it('publishes a consent preference, verifies it anonymously, and revokes it', async () => {
  const message = {
    content_hash: `sha3-384:${sha3(randomBytes(8))}`,
    preferences: { ai_training: 'disallow', search: 'allow' },
    creator_did: person.did,
  }
  const publicKey = { public_key_b64u: person.publicKeyB64u }
  const signed = (over: Parameters<typeof consentMessage>[0]) => ({
    'x-svc-signature': person.sign(consentMessage(over)),
  })
  const create = { method: 'POST', url: `${urls.consent}/api/v1/consent`, body: { ...message, ...publicKey } }
  expect((await call(create)).status).toBe(401)
  expect((await call({ ...create, headers: signed({ ...message, preferences: {} }) })).status).toBe(403)
  expect((await call({ ...create, headers: signed(message) })).status).toBe(200)

  const url = `${urls.consent}/api/v1/consent/${encodeURIComponent(message.content_hash)}`
  const { headers, body: record } = await call<{
    public_key_b64u: string
    signed: { preferences: Members; signature_b64u: string }
  }>({ method: 'GET', url })
  expect(headers.get('x-svc-consent')).toBe('train-ai=n, search=y')
  expect(record).toMatchObject({ source: 'declared', creator_did: person.did })
  const over = consentMessage({ ...message, preferences: record.signed.preferences })
  expect(verifies(record.public_key_b64u, record.signed.signature_b64u, over)).toBe(true)
  expect(`did:svc:${base64url(Buffer.from(sha3(bytesOf(record.public_key_b64u)), 'hex').subarray(0, 24))}`).toBe(
    person.did,
  )

  const remove = { content_hash: message.content_hash, action: 'delete', creator_did: person.did }
  const removed = await call({ method: 'DELETE', url, body: publicKey, headers: signed(remove) })
  expect(removed).toMatchObject({ status: 200, body: { data: { revoked: true } } })
})

describeProgramsOf((page) => !isGuide(page))

it('runs the commands for a local platform', async ({ skip }) => {
  const curl = await capture('curl', ['--version'])
  skip(curl.code !== 0, 'no curl on this machine')
  const blocks = allBlocks().filter(({ info }) => info === 'sh local')
  expect(blocks.length).toBeGreaterThan(0)
  for (const block of blocks)
    for (const command of commandsOf(block)) {
      const { code, output } = await capture('sh', ['-c', here(command)])
      expect(code, `${block.place}: ${command}`).toBe(0)
      expect(() => JSON.parse(output) as unknown, `${block.place}: ${output}`).not.toThrow()
      // Any answer but 404 means that the route exists; a refusal is about the request.
      expect(output).not.toContain('"No such route"')
    }
})
