import type { Capability } from '@svc/protocol/base/device'
import type { ErrorName } from '@svc/protocol/http/errors'
import { describe, expect, it } from 'vitest'
import { expectRefusal } from './credential-battery.ts'
import { coreAnswering } from './dependency-battery.ts'
import { answersOfCore, standings } from './device-standing-battery.ts'
import type { Answer, DeviceProbe, GuardDevice, GuardDeviceOptions, Guarded } from './guarded.ts'
import type { Exchange } from './prober.ts'

/**
 * Version-2 assertions, each broken in one way alone. A route that takes devices shows a good one by its answer; on a
 * service that has none, the refusal that comes last of all shows it: the capability, once everything else is in order.
 */
export function deviceBattery(guarded: Guarded): void {
  const { audience, names, target, present } = guarded
  const { openTo } = target
  const capabilities: readonly Capability[] = openTo ? [openTo.capability] : ['account:read']
  const fresh = (options: GuardDeviceOptions = {}) => target.device({ capabilities, ...options })
  const send = (authorization: string, core?: Answer) =>
    present(authorization, { path: openTo?.path, ...(core && { replaced: { CORE: coreAnswering(core) } }) })
  const expectThrough = (exchange: Exchange): void => {
    if (openTo) expect(exchange).toMatchObject({ status: 200 })
    else expectRefusal(exchange, 'capability_required')
  }
  const isThrough = ({ status, error }: Exchange) => (openTo ? status === 200 : error === 'capability_required')

  let shared: Promise<GuardDevice> | undefined
  const laptop = () => {
    shared ??= fresh()
    return shared
  }

  async function expectUnspent(members: Record<string, unknown>, name: ErrorName, core?: Answer): Promise<void> {
    const device = await laptop()
    const nonce = crypto.randomUUID()
    expectRefusal(await send(await device.assertion(audience, { nonce, ...members }), core), name)
    expectThrough(await send(await device.assertion(audience, { nonce })))
  }

  const probe: DeviceProbe = { guarded, fresh, laptop, send, expectThrough, expectUnspent }
  describe('with a device', () => {
    singleUse()
    broken()
    standings(probe)
    answersOfCore(probe)
  })

  function singleUse(): void {
    it('passes an assertion once', async () => {
      const device = await fresh()
      const assertion = await device.assertion(audience)
      expectThrough(await send(assertion))
      expectRefusal(await send(assertion), names.replay)
    })

    it('passes one of twenty concurrent uses', async () => {
      const assertion = await (await laptop()).assertion(audience)
      const exchanges = await Promise.all(Array.from({ length: 20 }, () => send(assertion)))
      expect(exchanges.filter(isThrough)).toHaveLength(1)
      for (const exchange of exchanges) if (!isThrough(exchange)) expectRefusal(exchange, names.replay)
    })

    it('counts its nonces apart from those of its owner', async () => {
      const device = await laptop()
      const nonce = crypto.randomUUID()
      expectThrough(await send(await device.assertion(audience, { nonce })))
      expect((await send(await device.owner.assertion(audience, { nonce }))).status).toBe(200)
    })

    if (openTo?.path !== target.path) {
      it('refuses what the route takes from the root key alone, and has spent the nonce', async () => {
        const device = await laptop()
        const assertion = await device.assertion(audience)
        expectRefusal(await present(assertion), 'capability_required')
        expectRefusal(await present(assertion), names.replay)
      })
    }

    if (openTo) {
      it('refuses a device that was not given the capability, or does not claim it, and has spent the nonce', async () => {
        const other = await fresh({ capabilities: ['headers:prepare'] })
        const assertion = await other.assertion(audience)
        expectRefusal(await send(assertion), 'capability_required')
        expectRefusal(await send(assertion), names.replay)
        const modest = await (await laptop()).assertion(audience, { capabilities: [] })
        expectRefusal(await send(modest), 'capability_required')
      })
    }

    it('takes one call of core for key and nonce', async () => {
      const device = await laptop()
      const asked: string[] = []
      const core = async (request: Request) => {
        asked.push(`${request.method} ${new URL(request.url).pathname}`)
        return target.core.fetch(request)
      }
      expectThrough(await send(await device.assertion(audience), core))
      expect(asked).toEqual(['POST /api/internal/assertion/spend'])
    })
  }

  function broken(): void {
    const stranger = 'f'.repeat(96)
    it.each<[string, Record<string, unknown>]>([
      ['purpose', { purpose: 'auth/session' }],
      ['userId', { userId: stranger }],
      ['scope', { scope: stranger }],
      ['DID', { did: `did:svc:${'A'.repeat(32)}` }],
      ['deviceId', { deviceId: 'A'.repeat(32) }],
      ['device key', { devicePublicKey: 'A'.repeat(2603) }],
      ['web origin', { origin: 'https://elsewhere.example' }],
      ['software name', { origin: 'app:elsewhere' }],
      ['root epoch', { rootEpoch: 1 }],
      ['capability beyond what was attested', { capabilities: [...capabilities, 'rotation:cosign'] }],
      ['capability that nobody has', { capabilities: [...capabilities, 'admin'] }],
      ['capability twice', { capabilities: [...capabilities, ...capabilities] }],
      ['order of times', { expiresAt: 1 }],
      ['method', { htm: 'GET' }],
      ['URL', { htu: `${target.base}/` }],
      ['body', { bodyHash: '0'.repeat(96) }],
    ])('refuses another %s and spends nothing', async (_, members) => {
      await expectUnspent(members, names.rejected)
    })

    it.each(['city', 'notes', '', undefined])('refuses the audience %j and spends nothing', async (aud) => {
      await expectUnspent({ aud }, names.audience)
    })

    it.each(['', 'two words', 'n'.repeat(257)])('refuses the nonce %j and spends nothing', async (nonce) => {
      await expectUnspent({ nonce }, names.nonceForm?.(openTo?.path ?? target.path)?.error ?? names.rejected)
    })

    it('refuses one that is over, one from the future and one of more than an hour, and spends nothing', async () => {
      const now = Date.now()
      await expectUnspent({ issuedAt: now - 900_000, expiresAt: now - 300_000 }, 'assertion_expired')
      await expectUnspent({ issuedAt: now + 310_000, expiresAt: now + 320_000 }, 'assertion_not_yet_valid')
      await expectUnspent({ issuedAt: now, expiresAt: now + 3_600_001 }, 'assertion_too_long')
    })

    it('refuses a signature that is not good and spends nothing', async () => {
      const assertion = await (await laptop()).assertion(audience)
      const cut = assertion.lastIndexOf('.') + 1
      const other = assertion[cut] === 'A' ? 'B' : 'A'
      expectRefusal(await send(assertion.slice(0, cut) + other + assertion.slice(cut + 1)), names.rejected)
      expectThrough(await send(assertion))
    })

    it('refuses a device that claims to be of another owner', async () => {
      const { userId, scope, did } = (await fresh()).owner.identity
      await expectUnspent({ userId, scope, did }, names.rejected)
      await expectUnspent({ userId }, names.rejected)
    })

    it('refuses a device that sends from another page than its own', async () => {
      const abroad = await fresh({ home: 'https://elsewhere.example' })
      expectRefusal(await send(await abroad.assertion(audience)), names.rejected)
    })

    it('takes software from wherever it sends', async () => {
      expectThrough(await send(await (await fresh({ home: 'app:notes' })).assertion(audience)))
    })
  }
}
