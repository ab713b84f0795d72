import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { Client } from '../client.ts'
import { Identity } from '../identity/identity.ts'
import { MAX_ANSWER_BYTES, readBytes } from '../transport/guarded-body.ts'

const identity = await Identity.fromSeeds({ signing: new Uint8Array(32).fill(1), kem: new Uint8Array(32).fill(2) })
const did = `did:svc:${'A'.repeat(32)}`

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

/** The origin of a server that answers so. */
async function origin(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function clientOf(core: string, timeoutMs = 5_000): Client {
  const others = { did: core, pay: core, keys: core, provenance: core, consent: core }
  const keys = { threshold: 1, publicKeysB64u: [identity.publicKeyB64u] }
  const pinned = { logListKeys: keys, consentKeyB64u: identity.publicKeyB64u }
  return new Client({ core, ...others, ...pinned, realm: 'https://core.test', identity, retries: false, timeoutMs })
}

/** One read of each service, and each way to read a body. */
const READS: readonly (readonly [string, (client: Client) => Promise<unknown>])[] = [
  ['core', (client) => client.chain.head()],
  ['the DID service', (client) => client.did.resolve(did)],
  ['consent', (client) => client.consent.read('sha3-384:x')],
  ['a consent snapshot', (client) => client.consent.snapshot({ buckets: [1] })],
  ['pay', (client) => client.pay.offers()],
  ['the key directory', (client) => client.transparency.checkpoint()],
  ['provenance', (client) => client.provenance.capsule('a'.repeat(64))],
  ['fragments', (client) => client.provenance.keypoints('a'.repeat(96))],
  ['content', (client) => client.account.content('bafy')],
  ['a stored ciphertext', (client) => client.notes.ciphertext('n', 'a')],
  ['the anchor log', (client) => client.anchors.checkpoint()],
]

const endless: RequestListener = (_, response) => {
  response.writeHead(200, { 'content-type': 'application/json' })
  const piece = Buffer.alloc(1024 * 1024, '[')
  const go = () => {
    while (response.write(piece)) if (response.destroyed) return
    response.once('drain', go)
  }
  go()
}

const dripping: RequestListener = (_, response) => {
  response.writeHead(200, { 'content-type': 'application/json' })
  const timer = setInterval(() => response.write(' '), 40)
  response.once('close', () => clearInterval(timer))
}

describe('an answer in drops', () => {
  it.each(READS)('of %s does not hold a call for good', async (_, read) => {
    const started = performance.now()
    const reading = read(clientOf(await origin(dripping), 200))
    await expect(reading).rejects.toMatchObject({ name: 'ConnectionError', isTimeout: true })
    expect(performance.now() - started).toBeLessThan(5_000)
  })

  it('is told apart from silence', async () => {
    const reading = clientOf(await origin(dripping), 200).chain.head()
    await expect(reading).rejects.toThrow('the answer was too slow to arrive')
    const silent = clientOf(await origin(() => {}), 100).chain.head()
    await expect(silent).rejects.toThrow('nothing was received for 100 ms')
  })

  it('ends a stream, too', async () => {
    const stream = await clientOf(await origin(dripping), 200).account.contentStream('bafy')
    const all = async () => {
      for await (const _ of stream as unknown as AsyncIterable<Uint8Array>);
    }
    await expect(all()).rejects.toThrow('the answer was too slow to arrive')
  })
})

describe('an answer without end', () => {
  it.each([READS[0]!, READS[9]!])('of %s is not read beyond its largest size', async (_, read) => {
    const reading = read(clientOf(await origin(endless), 30_000))
    await expect(reading).rejects.toMatchObject({ name: 'VerificationError', subject: 'answer', reason: 'too_large' })
  })

  it('of a refusal is not, either', async () => {
    const refusing: RequestListener = (request, response) => {
      response.statusCode = 500
      endless(request, response)
    }
    const reading = clientOf(await origin(refusing), 30_000).chain.head()
    await expect(reading).rejects.toMatchObject({ name: 'VerificationError', reason: 'too_large' })
  })

  it('has a size of its own where a caller says so', async () => {
    const response = await fetch(await origin(endless))
    await expect(readBytes(response, { mostBytes: 3_000_000 })).rejects.toMatchObject({ reason: 'too_large' })
    expect(MAX_ANSWER_BYTES).toBe(64 * 1024 * 1024)
  })
})

describe('an answer of something else', () => {
  const answers = (status: number, body: string, headers: Record<string, string> = {}): RequestListener => {
    return (_, response) => response.writeHead(status, headers).end(body)
  }
  const html = { 'content-type': 'text/html; charset=utf-8' }

  it.each([
    ['a page', answers(200, '<!doctype html><p>Hello', html), 'answered 200 without JSON (text/html)'],
    ['nothing', answers(200, ''), 'answered 200 without JSON (no type)'],
    ['half an answer', answers(200, '{"success":tr', html), 'answered 200 without JSON (text/html)'],
  ])('with 200 is a VerificationError that names the address: %s', async (_, listener, message) => {
    const core = await origin(listener)
    const error: unknown = await clientOf(core)
      .chain.head()
      .catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ name: 'VerificationError', subject: 'answer', reason: 'malformed' })
    expect((error as Error).message).toContain(message)
    expect((error as Error).message).toContain(core)
  })

  it.each([
    [302, answers(302, '', { location: 'https://elsewhere.test/' }), 'set the address that it has moved to'],
    [404, answers(404, '<p>Not found', html), 'answered 404 with text/html and no reason'],
    [500, answers(500, ''), 'answered 500 with nothing and no reason'],
  ])('with %d is a ServiceError that says so', async (status, listener, message) => {
    const error: unknown = await clientOf(await origin(listener))
      .chain.head()
      .catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ name: 'ServiceError', status, error: 'unknown' })
    expect((error as Error).message).toContain(message)
  })

  it('where nobody listens, says so', async () => {
    const error: unknown = await clientOf('http://127.0.0.1:9')
      .chain.head()
      .catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ name: 'ConnectionError' })
    expect((error as Error).message).toMatch(/fetch failed \(.*(ECONNREFUSED|bad port).*\)/)
  })
})
