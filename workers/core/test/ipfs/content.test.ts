import { describe, expect, it } from 'vitest'
import { anonymous, CORE, send } from '../harness.ts'
import { cidOf, fileOf, gatewayWith, leafOf, nodeOf, sample, type TestBlock } from './ipfs.fixture.ts'

const read = async (cid: string): Promise<Uint8Array> => {
  const response = await send(new Request(`${CORE}/ipfs/${cid}`))
  expect(response.status).toBe(200)
  return new Uint8Array(await response.arrayBuffer())
}
const refused = async (cid: string) => {
  const { status, body } = await anonymous('GET', `/ipfs/${cid}`)
  return { status, error: body['error'] }
}

describe('content by its CID', () => {
  it('can be a raw leaf', async () => {
    const leaf = await leafOf('hello world')
    expect(leaf.name).toBe('bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e')
    gatewayWith(leaf)
    expect(new TextDecoder().decode(await read(leaf.name))).toBe('hello world')
  })

  it('can be an empty leaf or an empty file', async () => {
    const leaf = await leafOf('')
    const file = await nodeOf([])
    gatewayWith(leaf, file)
    expect(await read(leaf.name)).toEqual(new Uint8Array())
    expect(await read(file.name)).toEqual(new Uint8Array())
  })

  it('can be a file of several leaves, in order', async () => {
    const { root, blocks, bytes } = await fileOf(sample(4_321))
    gatewayWith(...blocks)
    expect(await read(root.name)).toEqual(bytes)
  })

  it('can be a file with two levels of nodes', async () => {
    const { root, blocks, bytes } = await fileOf(sample(10_500), 1_000, 4)
    expect(blocks).toHaveLength(11 + 3 + 1)
    gatewayWith(...blocks)
    expect(await read(root.name)).toEqual(bytes)
  })

  it('can be a file inside its node, or one with inline data before its leaves', async () => {
    const inline = await nodeOf([], { data: sample(300) })
    const leaf = await leafOf(sample(200, 2))
    const mixed = await nodeOf([leaf], { data: sample(100, 3) })
    gatewayWith(inline, leaf, mixed)
    expect(await read(inline.name)).toEqual(sample(300))
    expect(await read(mixed.name)).toEqual(new Uint8Array([...sample(100, 3), ...sample(200, 2)]))
  })

  it('can have dag-pb leaves, as created by older programs', async () => {
    const leaf = await nodeOf([], { type: 'raw', data: sample(500) })
    const root = await nodeOf([leaf, leaf])
    gatewayWith(leaf, root)
    expect(await read(root.name)).toEqual(new Uint8Array([...sample(500), ...sample(500)]))
  })

  it('is the same for every form of its CID', async () => {
    const { root, blocks, bytes } = await fileOf(sample(2_500))
    const gateway = gatewayWith(...blocks)
    const v0 = root.cid.toV0().toString()
    expect(v0).toMatch(/^Qm/)
    expect(await read(v0)).toEqual(bytes)
    const { length } = gateway.asked
    expect(await read(root.name)).toEqual(bytes)
    expect(gateway.asked).toHaveLength(length)
    expect(gateway.asked).toContain(root.name)
  })
})

describe('content that cannot be verified here', () => {
  it.each([
    'not-a-cid-at-all',
    'bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5', // one character short
    'QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWKPbd', // one character short
  ])('is refused: %s', async (cid) => {
    gatewayWith()
    expect(await refused(cid)).toEqual({ status: 400, error: 'cid_unsupported' })
  })

  it('is rejected for other codecs and hashes', async () => {
    const gateway = gatewayWith()
    const bytes = sample(40)
    const dagCbor = await cidOf(bytes, 0x71)
    const dagJson = await cidOf(bytes, 0x0129)
    const sha3 = await cidOf(bytes, 0x55, 0x16)
    const blake3 = await cidOf(bytes, 0x55, 0x1e)
    for (const cid of [dagCbor, dagJson, sha3, blake3]) {
      expect(await refused(cid.toString())).toEqual({ status: 400, error: 'cid_unsupported' })
    }
    expect(gateway.asked).toEqual([])
  })

  it('is rejected if its CID is too short or too long', async () => {
    for (const cid of ['x', 'b'.repeat(1_025)]) {
      expect((await anonymous('GET', `/ipfs/${cid}`)).body).toMatchObject({ code: 'invalid_request' })
    }
  })

  it.each(['directory', 'symlink', 'hamt-sharded-directory', 'metadata'] as const)(
    'is refused as a %s',
    async (type) => {
      const leaf = await leafOf(sample(20))
      const node = await nodeOf([leaf], { type })
      gatewayWith(leaf, node)
      expect(await refused(node.name)).toEqual({ status: 400, error: 'not_a_file' })
    },
  )

  it('is rejected if the block of a dag-pb CID is not a node', async () => {
    const cid = await cidOf(sample(64), 0x70)
    const notDagPb: TestBlock = { cid, name: cid.toString(), bytes: sample(64), size: 64 }
    gatewayWith(notDagPb)
    expect(await refused(notDagPb.name)).toEqual({ status: 400, error: 'not_a_file' })
  })

  it('is rejected if a node omits the size of a link', async () => {
    const leaf = await leafOf(sample(20))
    const node = await nodeOf([leaf, leaf], { sizes: [20] })
    gatewayWith(leaf, node)
    expect(await refused(node.name)).toEqual({ status: 400, error: 'not_a_file' })
  })

  it('is rejected if the size of the first leaf differs from its node’s', async () => {
    const leaf = await leafOf(sample(20))
    const node = await nodeOf([leaf], { sizes: [21] })
    gatewayWith(leaf, node)
    expect(await refused(node.name)).toEqual({ status: 400, error: 'not_a_file' })
  })

  it('is rejected if it is deeper than any file', async () => {
    let node = await leafOf(sample(20))
    const blocks = [node]
    for (let depth = 0; depth < 6; depth += 1) {
      node = await nodeOf([node])
      blocks.push(node)
    }
    gatewayWith(...blocks)
    expect(await refused(node.name)).toEqual({ status: 400, error: 'not_a_file' })
  })
})

describe('content above the size limit', () => {
  const MIB = 1024 * 1024

  it('is rejected by the size in its root, before any leaf is requested', async () => {
    const leaf = await leafOf(sample(20))
    const sizes = Array.from({ length: 257 }, () => 256 * 1024)
    const root = await nodeOf(
      sizes.map(() => leaf),
      { sizes },
    )
    const gateway = gatewayWith(leaf, root)
    expect(await refused(root.name)).toEqual({ status: 413, error: 'content_too_large' })
    expect(gateway.asked).toEqual([root.name])
  })

  it('is rejected if a single link is above it', async () => {
    const leaf = await leafOf(sample(20))
    const root = await nodeOf([leaf], { sizes: [8_192 * MIB] })
    gatewayWith(root)
    expect(await refused(root.name)).toEqual({ status: 413, error: 'content_too_large' })
  })

  it('starts one byte above 64 MiB', async () => {
    const leaf = await leafOf(sample(1_000))
    const atCap = await nodeOf([leaf, leaf], { sizes: [1_000, 64 * MIB - 1_000] })
    const above = await nodeOf([leaf, leaf], { sizes: [1_000, 64 * MIB - 999] })
    gatewayWith(leaf, atCap, above)
    expect(await refused(above.name)).toEqual({ status: 413, error: 'content_too_large' })
    const first = await send(new Request(`${CORE}/ipfs/${atCap.name}`, { headers: { range: 'bytes=0-999' } }))
    expect(first.status).toBe(206)
    expect(first.headers.get('content-range')).toBe(`bytes 0-999/${64 * MIB}`)
    expect(new Uint8Array(await first.arrayBuffer())).toEqual(sample(1_000))
  })
})
