import { describe, expect, it } from 'vitest'
import { anonymous, CORE, freshCaller, send } from '../harness.ts'
import { type FakeGateway, fileOf, gatewayWith, leafOf, nodeOf, sample, type TestFile } from './ipfs.fixture.ts'

async function served(length = 4_321, seed = 51): Promise<TestFile & { gateway: FakeGateway }> {
  const file = await fileOf(sample(length, seed))
  return { ...file, gateway: gatewayWith(...file.blocks) }
}

const get = (cid: string, headers: Record<string, string> = {}, method = 'GET') =>
  send(new Request(`${CORE}/ipfs/${cid}`, { method, headers }))
const bytesOf = async (response: Response) => new Uint8Array(await response.arrayBuffer())

describe('an answer with content', () => {
  it('can be cached forever, is tagged with its CID, and is sandboxed', async () => {
    const { root } = await served()
    const response = await get(root.name)
    await response.arrayBuffer()
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      etag: `"${root.name}"`,
      'accept-ranges': 'bytes',
      'content-length': '4321',
      'content-type': 'application/octet-stream',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'content-security-policy': "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:",
    })
    expect(response.headers.has('content-range')).toBe(false)
  })

  it('has the same tag for every form of its CID', async () => {
    const { root } = await served()
    const response = await get(root.cid.toV0().toString())
    await response.arrayBuffer()
    expect(response.headers.get('etag')).toBe(`"${root.name}"`)
  })

  it('answers HEAD without a body', async () => {
    const { root } = await served()
    const [head, whole] = [await get(root.name, {}, 'HEAD'), await get(root.name)]
    await whole.arrayBuffer()
    expect(await bytesOf(head)).toHaveLength(0)
    expect(head.status).toBe(200)
    for (const name of ['content-length', 'content-type', 'etag', 'cache-control', 'accept-ranges']) {
      expect(head.headers.get(name), name).toBe(whole.headers.get(name))
    }
  })

  it.each<[string, string | Uint8Array, string]>([
    ['HTML', '<!doctype html><script>alert(1)</script>', 'text/html; charset=utf-8'],
    ['SVG', '<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg"/>', 'image/svg+xml'],
    ['PNG', new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0]), 'image/png'],
    ['JPEG', new Uint8Array([0xff, 0xd8, 0xff, 0xe0]), 'image/jpeg'],
    ['PDF', '%PDF-1.7\n', 'application/pdf'],
    ['text', 'alert(1)', 'application/octet-stream'],
    ['nothing', '', 'application/octet-stream'],
  ])('is %s and sandboxed', async (_, content, type) => {
    const leaf = await leafOf(content)
    gatewayWith(leaf)
    const response = await get(leaf.name)
    await response.arrayBuffer()
    expect(response.headers.get('content-type')).toBe(type)
    expect(response.headers.get('content-security-policy')).toMatch(/^sandbox; default-src 'none';/)
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
  })

  it('is typed by its first bytes, wherever the range starts', async () => {
    const leaf = await leafOf('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')
    gatewayWith(leaf)
    const response = await get(leaf.name, { range: 'bytes=40-' })
    expect(await response.text()).toBe('<script>alert(1)</script></svg>')
    expect(response.headers.get('content-type')).toBe('image/svg+xml')
  })
})

describe('If-None-Match', () => {
  it('with the same tag returns 304 and fetches nothing', async () => {
    const { root, gateway } = await served(2_000, 52)
    const tag = `"${root.name}"`
    for (const header of [tag, `W/${tag}`, `"other", ${tag}`]) {
      const response = await get(root.name, { 'if-none-match': header })
      expect(response.status, header).toBe(304)
      expect(await response.text()).toBe('')
      expect(response.headers.get('etag')).toBe(tag)
      expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    }
    expect(gateway.asked).toEqual([])
  })

  it('with another tag returns the content', async () => {
    const { root, bytes } = await served()
    const response = await get(root.name, {
      'if-none-match': '"bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e"',
    })
    expect(response.status).toBe(200)
    expect(await bytesOf(response)).toEqual(bytes)
  })
})

describe('a range', () => {
  it.each([
    ['the first bytes', 'bytes=0-9', 0, 10],
    ['the middle of a leaf', 'bytes=1500-1599', 1_500, 1_600],
    ['across leaves', 'bytes=900-3100', 900, 3_101],
    ['the last byte', 'bytes=4320-4320', 4_320, 4_321],
    ['to the end', 'bytes=4000-', 4_000, 4_321],
    ['a suffix', 'bytes=-321', 4_000, 4_321],
    ['a suffix longer than the whole', 'bytes=-99999', 0, 4_321],
    ['an end beyond the end', 'bytes=4300-99999', 4_300, 4_321],
  ])('is %s', async (_, range, start, end) => {
    const { root, bytes } = await served()
    const response = await get(root.name, { range })
    expect(response.status).toBe(206)
    expect(response.headers.get('content-range')).toBe(`bytes ${start}-${end - 1}/4321`)
    expect(response.headers.get('content-length')).toBe(String(end - start))
    expect(await bytesOf(response)).toEqual(bytes.slice(start, end))
  })

  it.each(['bytes=4321-', 'bytes=5000-6000', 'bytes=-0'])('beyond the end is rejected: %s', async (range) => {
    const { root } = await served()
    const { status, body, headers } = await anonymous('GET', `/ipfs/${root.name}`, undefined, { range })
    expect({ status, error: body['error'] }).toEqual({ status: 416, error: 'range_not_satisfiable' })
    expect(headers.get('content-range')).toBe('bytes */4321')
    expect(headers.get('cache-control')).toBe('no-store')
  })

  it.each(['bytes=0-1,5-6', 'bytes=9-3', 'bytes=a-b', 'bytes=-', 'items=0-9', 'bytes=1-2-3'])(
    'that is several or none is ignored: %s',
    async (range) => {
      const { root, bytes } = await served()
      const response = await get(root.name, { range })
      expect(response.status).toBe(200)
      expect(await bytesOf(response)).toEqual(bytes)
    },
  )

  it('applies under If-Range only to this very content', async () => {
    const { root } = await served()
    const under = async (tag: string) => {
      const response = await get(root.name, { range: 'bytes=0-9', 'if-range': tag })
      return { status: response.status, length: (await bytesOf(response)).length }
    }
    expect(await under(`"${root.name}"`)).toEqual({ status: 206, length: 10 })
    expect(await under('"another"')).toEqual({ status: 200, length: 4_321 })
    expect(await under('Wed, 21 Oct 2026 07:28:00 GMT')).toEqual({ status: 200, length: 4_321 })
  })

  it('requests only the leaves that it needs', async () => {
    const { root, leaves, gateway } = await served(5_000, 53)
    const response = await get(root.name, { range: 'bytes=3500-3600' })
    await response.arrayBuffer()
    expect(gateway.asked).toEqual([root.name, leaves[0]?.name, leaves[3]?.name])
  })
})

describe('content with a missing block', () => {
  it('breaks off and never ends as if it were complete', async () => {
    const { root, blocks, leaves } = await fileOf(sample(4_321, 54))
    const hole = leaves[2]
    gatewayWith(...blocks.filter((block) => block !== hole))
    const response = await get(root.name)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-length')).toBe('4321')
    await expect(response.arrayBuffer()).rejects.toThrow()
  })

  it('breaks off at a leaf that does not match its CID', async () => {
    const { root, blocks, leaves } = await fileOf(sample(4_321, 55))
    const [, lied] = leaves
    gatewayWith(...blocks).answers(lied?.name ?? '', () => new Response(sample(1_000, 99)))
    await expect(get(root.name).then((response) => response.arrayBuffer())).rejects.toThrow()
  })

  it('breaks off at a node that is larger or smaller than its parent says', async () => {
    const [first, second] = [await leafOf(sample(100, 56)), await leafOf(sample(100, 57))]
    for (const claimed of [99, 101]) {
      const root = await nodeOf([first, second], { sizes: [100, claimed] })
      gatewayWith(first, second, root)
      await expect(get(root.name).then((response) => response.arrayBuffer())).rejects.toThrow()
    }
  })

  it('is not found if its first leaf is missing', async () => {
    const { root, blocks, leaves } = await fileOf(sample(2_500, 58))
    gatewayWith(...blocks.filter((block) => block !== leaves[0]))
    expect(await anonymous('GET', `/ipfs/${root.name}`)).toMatchObject({ status: 404, body: { error: 'not_found' } })
  })

  it('is never returned by the SDK as if it were complete', async () => {
    const { client } = await freshCaller({ genesis: false })
    const { root, blocks, leaves, bytes } = await fileOf(sample(4_321, 60))
    const hole = leaves[4]
    const gateway = gatewayWith(...blocks.filter((block) => block !== hole))
    await expect(client.account.content(root.name)).rejects.toThrow()
    if (hole) gateway.add(hole)
    expect(await client.account.content(root.name)).toEqual(bytes)
    const told: number[] = []
    const stream = await client.account.contentStream(root.name, { onProgress: ({ done }) => told.push(done) })
    expect(new Uint8Array(await new Response(stream).arrayBuffer())).toEqual(bytes)
    expect([told[0], told.at(-1)]).toEqual([0, bytes.length])
    await expect(
      client.account.content('bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e'),
    ).rejects.toMatchObject({
      status: 404,
      error: 'not_found',
    })
  })

  it('can still be read around the gap', async () => {
    const { root, blocks, leaves, bytes } = await fileOf(sample(4_321, 59))
    gatewayWith(...blocks.filter((block) => block !== leaves[2]))
    const response = await get(root.name, { range: 'bytes=3000-' })
    expect(await bytesOf(response)).toEqual(bytes.slice(3_000))
  })
})
