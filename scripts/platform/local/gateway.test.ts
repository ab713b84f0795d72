import { afterEach, describe, expect, it } from 'vitest'
import { LocalGateway } from './gateway.ts'

let gateway: LocalGateway | undefined

afterEach(async () => {
  await gateway?.stop()
  gateway = undefined
})

async function started(): Promise<LocalGateway> {
  gateway = await LocalGateway.start('127.0.0.1', 0)
  return gateway
}

const FILE = Uint8Array.from({ length: 600_000 }, (_, i) => i % 251)

describe('the local gateway', () => {
  it('computes the same CIDs as other IPFS software', async () => {
    const running = await started()
    expect(running.add(new Uint8Array())).toBe('bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku')
    expect(running.add(new TextEncoder().encode('hello world'))).toBe(
      'bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e',
    )
    expect(running.add(FILE)).toBe('bafybeicp64het67shnhxiyl3sg5mylxqop6pnqsqpfecb6pmni2ghoxzom')
  })

  it('serves raw blocks of what it holds, and nothing else', async () => {
    const running = await started()
    const cid = running.add(new TextEncoder().encode('hello world'))
    const raw = await fetch(`${running.url}/ipfs/${cid}?format=raw`)
    expect(raw.headers.get('content-type')).toBe('application/vnd.ipld.raw')
    expect(await raw.text()).toBe('hello world')
    const statusOf = async (path: string) => (await fetch(running.url + path)).status
    expect(await statusOf(`/ipfs/${cid}`)).toBe(406)
    expect(await statusOf('/ipfs/bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku?format=raw')).toBe(404)
    expect(await statusOf('/?format=raw')).toBe(404)
  })

  it('frees its port when stopped', async () => {
    const first = await LocalGateway.start('127.0.0.1', 0)
    const port = Number(new URL(first.url).port)
    await first.stop()
    gateway = await LocalGateway.start('127.0.0.1', port)
    expect(gateway.url).toBe(first.url)
  })
})
