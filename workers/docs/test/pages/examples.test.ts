/**
 * Every marked example of the pages is executed: JSON against the schema of its name and against what the protocol
 * computes, TypeScript by running it. `<name>` as a whole string stands for a value of the page `vectors`.
 */
import { GENERAL_NONCE, verifyAssertion } from '@svc/assertion'
import { mlDsa65, xWing } from '@svc/pqc'
import { bytesOf, encodeBase64url } from '@svc/protocol/base/base64url'
import { fromHex, hashHex, hashTextHex } from '@svc/protocol/base/hash'
import * as names from '@svc/protocol/base/identity'
import { type Json, jcsBytes } from '@svc/protocol/base/jcs'
import { hybridKeyOf, kemKeyId, xWingKeyOf } from '@svc/protocol/base/key-agreement'
import { type Signed, statementHash, verifyStatement } from '@svc/protocol/base/statement'
import * as chainApi from '@svc/protocol/chain/api'
import * as chain from '@svc/protocol/chain/chain'
import { rotationIdOf, signedRotationRequestSchema } from '@svc/protocol/chain/rotation'
import { attestDeviceSchema, changeDeviceSchema, eventHash, inceptOrgSchema } from '@svc/protocol/devices/inception'
import { contentsHash, openOfferSchema, sealedContentsSchema } from '@svc/protocol/devices/rendezvous'
import * as did from '@svc/protocol/did/did'
import { orgEventHash, orgEventSchema } from '@svc/protocol/did/org-bindings'
import { registerRequestSchema } from '@svc/protocol/did/registration'
import { subjectHashOf } from '@svc/protocol/did/subject-hash'
import { feedEventHash, signedEventPageSchema } from '@svc/protocol/events/events'
import * as envelope from '@svc/protocol/http/envelope'
import { type ErrorName, errorEntry } from '@svc/protocol/http/errors'
import * as internal from '@svc/protocol/internal/core'
import { noteKeyHash } from '@svc/protocol/notes/data-key'
import { prepareHeader, prepareHeaderRequestSchema } from '@svc/protocol/notes/headers'
import { codeHash } from '@svc/protocol/pay/codes'
import { capsuleHash, capsuleSchema } from '@svc/protocol/provenance/capsules'
import { commitmentHash } from '@svc/protocol/provenance/commitments'
import { verifyRequestSchema, verifySignature } from '@svc/protocol/provenance/verification'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { ANCHOR_DIGESTS } from './anchor-digests.ts'
import { ASSET_DIGESTS } from './asset-digests.ts'
import { CONSENT_DIGESTS } from './consent-digests.ts'
import { EXAMPLES, REALMS, pagesText as text, value, vector, vectors } from './examples.ts'
import { DIRECTORY_DIGESTS } from './key-directory-digests.ts'
import { SCHEMAS } from './schemas/example-schemas.ts'
import { CHAIN_EXAMPLES } from './sdk/chain-examples.ts'
import { changesOf, faultAfter } from './sdk/changes.ts'
import { EVENT_EXAMPLES } from './sdk/event-examples.ts'
import { IDENTITY_EXAMPLES } from './sdk/identity-examples.ts'
import { KEY_EXAMPLES } from './sdk/key-examples.ts'
import { lying } from './sdk/lies.ts'
import { MESSAGE_EXAMPLES } from './sdk/message-examples.ts'
import { NOTE_EXAMPLES } from './sdk/note-examples.ts'
import { OFFLINE_EXAMPLES } from './sdk/offline-examples.ts'
import { PROVENANCE_EXAMPLES } from './sdk/provenance-examples.ts'
import { SERVICE_EXAMPLES } from './sdk/service-examples.ts'

const { envelopeOf } = envelope
const SDK_EXAMPLES = {
  ...SERVICE_EXAMPLES,
  ...CHAIN_EXAMPLES,
  ...IDENTITY_EXAMPLES,
  ...MESSAGE_EXAMPLES,
  ...PROVENANCE_EXAMPLES,
  ...OFFLINE_EXAMPLES,
  ...EVENT_EXAMPLES,
  ...KEY_EXAMPLES,
  ...NOTE_EXAMPLES,
}
const T = 1_790_000_000_000

const english = (number: number) => number.toLocaleString('en')

describe('the examples of the pages', () => {
  it('each have a name of their own, and a schema or a function; none is stale', () => {
    const shown = EXAMPLES.map(({ name }) => name)
    expect(shown.toSorted()).toEqual([...Object.keys(SCHEMAS), ...Object.keys(SDK_EXAMPLES)].toSorted())
    // Programs for a local platform, for the installed packages and of the quickstart, and what was recorded, have tests
    // of their own.
    expect(text.match(/^```(json|ts)\b(?! (?:local|packages|quickstart .+|recorded=.+)$)/gm)?.length).toBe(shown.length)
  })

  it.each(EXAMPLES.filter(({ language }) => language === 'json'))('$name keeps to its schema', ({ name }) => {
    const parsed = SCHEMAS[name]?.safeParse(value(name))
    expect(parsed?.error?.issues ?? []).toEqual([])
  })

  it.each(EXAMPLES.filter(({ language }) => language === 'ts run'))('$name runs as written', async (shown) => {
    const own: readonly string[] = [
      'service',
      'chain',
      'identity',
      'message',
      'provenance',
      'offline',
      'event',
      'key',
      'note',
    ].map((name) => `./sdk/${name}-examples.ts?raw`)
    const files = await Promise.all(
      own.map(async (file) => (await import(/* @vite-ignore */ file)) as { default: string }),
    )
    const source = files.map((file) => file.default).join('\n')
    // The formatter breaks lines by their indentation, which is not that of the page.
    const flat = (code: string) =>
      code
        .replaceAll(/\s+/g, ' ')
        .replaceAll(/(?<=[[({]) | ?,?(?= ?[\])}])/g, '')
        .trim()
    const [imports = '', body = ''] = shown.text.split('\n\n')
    const inTest = flat(source.split(`// example: ${shown.name}\n`)[1]?.split('// end')[0] ?? '')
    expect(flat(body)).toBe(inTest)
    for (const [, imported = '', from = ''] of imports.matchAll(/\{ (.+) \} from '(.+)'/g))
      for (const name of imported.split(', '))
        expect(source).toMatch(new RegExp(`^import \\{[^}]*\\b${name}\\b[^}]*\\} from '${from}'$`, 'm'))
    const found = await SDK_EXAMPLES[shown.name]?.run((fetch) => fetch)
    await SDK_EXAMPLES[shown.name]?.honest(found)
  })

  it.each(Object.entries(SDK_EXAMPLES))('%s does not believe a service that lies', async (_, { lie, run, lied }) => {
    const service = lying(lie ?? (() => {}))
    const found = await run(service.tell)
    expect([service.count() > 0, lied !== undefined]).toEqual([lie !== undefined, lie !== undefined])
    lied?.(found)
  })

  it.each(Object.entries(SDK_EXAMPLES).filter(([, { lie }]) => lie))(
    '%s handles every answer in which one member was changed',
    { timeout: 120_000 },
    async (_, shown) => {
      const faults: string[] = []
      const changes = await changesOf(shown)
      expect(changes.length).toBeGreaterThan(0)
      for (const change of changes) {
        const fault = await faultAfter(shown, change)
        if (fault) faults.push(`answer ${change.count}, ${change.path.join('.')}: ${fault}`)
      }
      expect(faults).toEqual([])
    },
  )

  it('name errors with the text of the table', () => {
    const errorSchema = z.object({ error: z.string(), message: z.string(), status: z.int().optional() })
    const errors = EXAMPLES.filter(({ language }) => language === 'json').flatMap(({ name }) => {
      const { data } = errorSchema.safeParse(value(name))
      return data ? [data] : []
    })
    expect(errors.length).toBeGreaterThan(5)
    for (const { error, message, status } of errors) {
      const entry = errorEntry(error as ErrorName)
      expect({ message, status: status ?? entry.status }).toEqual({ message: entry.text, status: entry.status })
    }
  })
})

describe('the worked derivations', () => {
  it('derive keys, names and key ids from the seeds', async () => {
    const publicKey = await mlDsa65.publicKeyOf(fromHex(vector('signingSeedHex')))
    const kem = hybridKeyOf(await xWing.publicKeyOf(fromHex(vector('kemSeedHex'))))
    const operator = await mlDsa65.publicKeyOf(fromHex(vector('operatorSeedHex')))
    const scope = names.userIdOf(publicKey)
    const expected = {
      publicKeyB64u: encodeBase64url(publicKey),
      userId: scope,
      scope,
      did: names.didOf(scope),
      ...kem,
      kemKeyId: kemKeyId(kem.kemPublicKeyB64u),
    }
    expect(value('identity-derivation')).toEqual(expected)
    expect(vectors).toMatchObject({
      ...expected,
      xWingPublicKeyB64u: encodeBase64url(xWingKeyOf(kem)),
      operatorPublicKeyB64u: encodeBase64url(operator),
    })
    expect(text).toContain(`begins with ${scope.slice(0, 48)};`)
    const firstBytes = [...publicKey.subarray(0, 16)].map((byte) => byte.toString(16).padStart(2, '0')).join(' ')
    expect(text).toContain(`begins with the bytes ${firstBytes}.`)
  })

  it('hash, link and verify the blocks', async () => {
    const { block } = chainApi.genesisRequestSchema.parse(value('genesis-request'))
    const { payloadB64u, ...next } = chain.appendRequestSchema.parse(value('append-request'))
    expect(await chain.verifyChain([block, next], vector('did'))).toEqual({
      ok: true,
      value: { index: '1', hash: vector('blockHash') },
    })
    expect(chain.blockHash(block as chain.SignedBlock)).toBe(vector('genesisHash'))
    const second = chain.chainBlockSchema.parse(value('block-v2'))
    expect(await chain.verifyChain([block, next, second], vector('did'))).toEqual({
      ok: true,
      value: { index: '2', hash: vector('blockV2Hash') },
    })
    expect(hashHex(bytesOf(payloadB64u ?? ''))).toBe(next.dataHash)
    expect(text).toContain(`is ${english(chain.signedBytes(block).length)} bytes`)
    const record = envelopeOf(chainApi.genesisRecordSchema).parse(value('genesis-record'))
    expect(record.data).toMatchObject({ block, hash: vector('genesisHash') })
    const page = envelopeOf(chainApi.blocksAnswerSchema).parse(value('blocks-answer'))
    expect(page.data.blocks).toEqual([next])
  })

  it('verify the key agreement', async () => {
    const key = bytesOf(vector('publicKeyB64u'))
    expect(await verifyStatement(value('key-agreement') as Signed<object>, key, REALMS)).toBe(true)
  })

  it('accept the assertion, which has the length that the page names', async () => {
    const authorization = `ServiceAssertion ${vector('assertionB64u')}.${vector('assertionSignature')}`
    const target = '/api/chain/head'
    const verdict = await verifyAssertion(
      { authorization, method: 'GET', target, origin: undefined, bodyHash: async () => hashTextHex('') },
      {
        expectedAudiences: ['chain'],
        skewMs: 120_000,
        noncePattern: GENERAL_NONCE,
        expectedOrigins: ['https://core.example'],
        acceptsDevices: false,
        requiredCapability: 'chain:read',
      },
      T,
    )
    expect(verdict).toMatchObject({ ok: true, value: { userId: vector('userId'), keepUntil: T + 180_000 } })
    const payload = bytesOf(vector('assertionB64u'))
    expect(new TextDecoder().decode(payload)).toBe(JSON.stringify(value('assertion-payload')))
    expect(text).toContain(`the ${english(payload.length)} bytes of \`assertionB64u\``)
    expect(text).toContain(`has ${english(authorization.length)} characters,`)
  })

  it('write the first request byte for byte', () => {
    const request = /^```http\n([\s\S]*?)^```$/m.exec(text)?.[1] ?? ''
    const bytes = request.replaceAll(/<(\w+)>/g, (_, name: string) => vector(name)).replaceAll('\n', '\r\n')
    expect(bytes).toMatch(/^GET \/api\/chain\/head HTTP\/1\.1\r\n[\s\S]+\r\n\r\n$/)
    expect(text).toContain(`filled in, the request has ${english(bytes.length)} bytes.`)
  })

  it('write `htu` as the URL parser does', () => {
    const rows = [...text.matchAll(/^ *\| `(https?:[^`]+)` \| `(https?:[^`]+)` \|$/gm)]
    expect(rows.length).toBeGreaterThan(9)
    for (const [, from = '', htu] of rows) {
      const { origin, pathname, search } = new URL(from)
      expect(origin + pathname + search).toBe(htu)
    }
  })

  it('verify the signatures of /api/pqc/verify and digest the header', async () => {
    for (const name of ['verify-message', 'verify-hash'])
      expect(await verifySignature(verifyRequestSchema.parse(value(name)))).toBe(true)
    const { header } = prepareHeaderRequestSchema.parse(value('prepare-header'))
    expect(value('prepared-header')).toMatchObject({ data: prepareHeader(header) })
  })

  it('make the DID document', () => {
    const request = registerRequestSchema.parse(value('register-request'))
    const authority = internal.authoritySchema.parse(value('authority'))
    const document = did.didDocumentOf(
      { ...authority, keyAgreement: request.keyAgreement ?? null },
      request.services ?? [],
    )
    expect(value('resolution')).toMatchObject({ didDocument: document })
  })

  it('account for every digest on every page', async () => {
    const org = inceptOrgSchema.parse(value('org-inception'))
    const { didDocument, didDocumentMetadata } = did.resolutionResultSchema.parse(value('resolution'))
    const binding = orgEventSchema.parse(value('org-event'))
    const { orgDid, provider = '' } = binding.statement
    const known = [
      '0'.repeat(96),
      hashTextHex(''),
      hashTextHex('hello'),
      hashHex(jcsBytes({})),
      hashHex(jcsBytes({ scope: vector('scope') })),
      hashHex(jcsBytes({ title: 'first' })),
      hashHex(chain.signedBytes(chainApi.genesisRequestSchema.parse(value('genesis-request')).block)),
      ...['userId', 'genesisHash', 'blockHash', 'blockV2Hash'].map(vector),
      names.userIdOfKey(vector('operatorPublicKeyB64u')),
      hashHex(bytesOf((value('note-vector') as { ciphertextB64u: string }).ciphertextB64u)),
      noteKeyHash(fromHex((value('note-vector') as { dataKeyHex: string }).dataKeyHex)),
      ...ASSET_DIGESTS,
      rotationIdOf(signedRotationRequestSchema.parse(value('rotation-request')).statement),
      eventHash(attestDeviceSchema.parse(value('attest-device'))),
      eventHash(changeDeviceSchema.parse(value('device-event'))),
      eventHash(org),
      ...signedEventPageSchema
        .parse(envelopeOf(z.unknown()).parse(value('event-page')).data)
        .statement.events.map(feedEventHash),
      contentsHash(sealedContentsSchema.parse(value('sealed-contents'))),
      // The page on pairing derives the token.
      openOfferSchema.parse(value('open-offer')).tokenHash,
      statementHash(org.statement),
      ...DIRECTORY_DIGESTS,
      ...[didDocument, didDocumentMetadata].map((part) => hashHex(jcsBytes(part as Json))),
      orgEventHash(binding),
      subjectHashOf('0c'.repeat(32), { orgDid, provider, subject: 'ann@example.com' }),
      ...CONSENT_DIGESTS,
      codeHash('7Q3K-9ZXN-0V4T-2B8D'),
      ...ANCHOR_DIGESTS,
      capsuleHash(capsuleSchema.parse(value('capsule'))),
      commitmentHash(new Uint8Array(32).fill(7), new TextEncoder().encode('hello')),
    ]
    // What was recorded has digests of its own, which no protocol value leads to.
    const ours = text.replaceAll(/^```json recorded=[\s\S]*?^```$/gm, '')
    const written = new Set(ours.match(/(?<![0-9a-f])[0-9a-f]{96}(?![0-9a-f])/g))
    expect([...written].filter((digest) => !known.includes(digest))).toEqual([])
  })
})
