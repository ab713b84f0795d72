import { createHash } from 'node:crypto'
import { afterAll, describe, expect, it } from 'vitest'
import { RunningWitness } from './running-witness.ts'
import { keys, statePath, TestLog, WITNESS_NAME } from './witness.fixture.ts'

const log = await TestLog.create()
const lines: string[] = []
const witness = await RunningWitness.start({
  keys,
  state: statePath(),
  host: '127.0.0.1',
  port: 0,
  logs: [log.listed],
  onLine: (line) => lines.push(line),
})
afterAll(() => witness.stop())

const post = (body: Uint8Array | string) =>
  fetch(`${witness.url}/add-checkpoint`, { method: 'POST', body: body as BodyInit })
const checkpointUrl = (origin: string) =>
  `${witness.url}/${createHash('sha256').update(origin).digest('hex')}/checkpoint`

describe('the server of a witness', () => {
  it('answers over HTTP', async () => {
    expect((await fetch(checkpointUrl(log.origin))).status).toBe(404)
    const cosigned = await post(await log.request(0, 5))
    expect([cosigned.status, cosigned.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8'])
    expect((await cosigned.text()).match(/^— witness\.example\/w1 /gm)).toHaveLength(2)
    const stale = await post(await log.request(0, 5))
    expect([stale.status, stale.headers.get('content-type'), await stale.text()]).toEqual([
      409,
      'text/x.tlog.size',
      '5\n',
    ])
    expect(await (await fetch(checkpointUrl(log.origin))).text()).toMatch(/^log\.example\/l1\n5\n/)
    expect((await fetch(checkpointUrl('another'))).status).toBe(404)
    expect((await post('old 0\n')).status).toBe(400)
    expect((await post(await log.request(5, 5, log.forked(2)))).status).toBe(422)
    expect(lines).toEqual(['log.example/l1: signed two different trees of one size. Run this with --evidence.'])
  })

  it('says who it is', async () => {
    expect(await (await fetch(witness.url)).json()).toEqual({
      name: WITNESS_NAME,
      verifierKeys: keys.cosigners.map(({ verifierKey }) => verifierKey),
      publicKeyB64u: keys.publicKeyB64u,
      origins: [log.origin],
    })
  })

  it('refuses other methods and bodies that no request needs', async () => {
    expect((await fetch(`${witness.url}/add-checkpoint`)).status).toBe(405)
    expect((await fetch(witness.url, { method: 'POST' })).status).toBe(405)
    expect((await post(new Uint8Array(384 * 1024 + 1))).status).toBe(413)
  })
})
