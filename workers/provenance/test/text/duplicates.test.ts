import { env } from 'cloudflare:workers'
import { coreAnswering, expectRefusal } from '@svc/service/testing'
import { describe, expect, it } from 'vitest'
import * as capsules from '../capsules/capsules.fixture.ts'
import { caller } from '../harness.ts'
import { register, registered, registrationOf, textOf, units } from './text.fixture.ts'

/** Pay as it is, and what it was asked. */
function watchedPay() {
  const asked: string[] = []
  const PAY = coreAnswering(async (request) => {
    asked.push(new URL(request.url).pathname)
    return env.PAY.fetch(request)
  })
  return { asked, replaced: { PAY } }
}
const PAY_DOWN = { replaced: { PAY: coreAnswering(() => Promise.reject(new Error('canary: pay is down'))) } }

describe('what is registered already', () => {
  it('as a text is answered before any unit is held, for its owner and for anybody', async () => {
    const [owner, other] = [await caller(), await caller()]
    const sent = registrationOf(textOf('early', 60))
    const watched = watchedPay()
    const { duplicate: _, ...first } = registered(await register(owner, sent, watched))
    expect(watched.asked).toEqual(['/api/internal/quota/reserve', '/api/internal/quota/finalize'])
    watched.asked.length = 0
    for (const by of [owner, other])
      expect(registered(await register(by, sent, watched))).toEqual({ ...first, duplicate: true })
    expect(watched.asked).toEqual([])
    expect([await units(owner), await units(other)]).toEqual([
      { used: 1, reserved: 0 },
      { used: 0, reserved: 0 },
    ])
  })

  it('as a text is answered while pay is down, when a new one is 503', async () => {
    const [owner, other] = [await caller(), await caller()]
    const sent = registrationOf(textOf('down', 60))
    registered(await register(owner, sent))
    for (const by of [owner, other]) expect(registered(await register(by, sent, PAY_DOWN)).duplicate).toBe(true)
    expectRefusal(await register(other, registrationOf(textOf('new', 60)), PAY_DOWN), 'dependency_unavailable')
  })

  it('as a text is answered even if the quota is used up', async () => {
    const [owner, spent] = [await caller(), await caller()]
    const sent = registrationOf(textOf('spent', 60))
    registered(await register(owner, sent))
    for (let i = 0; i < 20; i++) await spent.client.provenance.register(await capsules.signed(spent))
    expect((await register(spent, registrationOf(textOf('more', 60)))).status).toBe(402)
    expect(registered(await register(spent, sent)).duplicate).toBe(true)
    expect(await units(spent)).toEqual({ used: 20, reserved: 0 })
  }, 30_000)

  it('as a capsule is answered before any unit is held, and so is another capsule of the asset', async () => {
    const by = await caller()
    const file = capsules.freshFile()
    const sent = await capsules.signed(by, file)
    await by.client.provenance.register(sent)
    const watched = watchedPay()
    for (const options of [watched, PAY_DOWN]) {
      const { status, body } = await capsules.register(by, sent, options)
      expect(status).toBe(200)
      expect(body).toMatchObject({ data: { duplicate: true } })
      const other = await by.client.provenance.sign(file, { kind: 'image', mime: 'image/jpeg' })
      expectRefusal(await capsules.register(by, other, options), 'capsule_exists')
    }
    expect(watched.asked).toEqual([])
    expect(await units(by)).toEqual({ used: 1, reserved: 0 })
  })
})
