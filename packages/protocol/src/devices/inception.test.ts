import { describe, expect, it } from 'vitest'
import type { DeviceStatus } from '../base/device.ts'
import {
  attestation,
  DEVICE_ID,
  DID,
  HEAD,
  inception,
  KEY,
  OFFICER,
  OTHER_DEVICE_ID,
  OTHER_DID,
  OTHER_KEY,
  rotation,
  SCOPE,
  suspension,
} from './events.fixture.ts'
import {
  type ChangeDevice,
  changeDeviceSchema,
  type Device,
  type InceptionEvent,
  type InceptionState,
  inceptionEventSchema,
  judge,
  MAX_DEVICES,
} from './inception.ts'

const deviceOf = (status: DeviceStatus, rootEpoch = 1): Device => ({
  deviceId: DEVICE_ID,
  publicKeyB64u: KEY,
  rootEpoch,
  origin: 'app:old-phone',
  capabilities: ['chain:append'],
  expiresAt: null,
  status,
})
const stateWith = (changes: Partial<InceptionState> = {}): InceptionState => ({
  did: DID,
  scope: SCOPE,
  epoch: 1,
  head: HEAD,
  roster: null,
  device: () => null,
  countDevices: () => 0,
  newestEventOf: () => null,
  acceptedBefore: () => null,
  has: ({ sequence, hash }) => sequence === HEAD.sequence && hash === HEAD.hash,
  ...changes,
})
const having = (device: Device) => ({ device: (id: string) => (id === device.deviceId ? device : null) })
const refusal = (reason: string) => ({ ok: false, error: { reason } })

/** Each kind of event with a state in which it is valid. */
const kinds: [string, InceptionEvent, InceptionState][] = [
  ['a device attestation', attestation, stateWith()],
  ['a device event', suspension, stateWith(having(deviceOf('active')))],
  ['an organization’s inception', inception, stateWith()],
  ['a change of officers', rotation, stateWith({ roster: { version: 1, officers: [OFFICER], quorum: 1 } })],
]

describe.each(kinds)('%s', (_, event, state) => {
  const changed = (members: object) =>
    judge(state, { ...event, statement: { ...event.statement, ...members } } as InceptionEvent)

  it('is valid and passes its schema', () => {
    expect(judge(state, event).ok).toBe(true)
    expect(inceptionEventSchema.parse(event)).toEqual(event)
  })

  it.each([{ did: OTHER_DID }, { scope: '3d'.repeat(48) }])('is refused for another identity: %j', (members) => {
    expect(changed(members)).toEqual(refusal('owner_mismatch'))
  })

  it.each([{ sequence: 4 }, { sequence: 6 }, { previousHash: 'a8'.repeat(48) }])(
    'is refused if it does not follow the head: %j',
    (members) => {
      expect(changed(members)).toEqual({ ok: false, error: { reason: 'stale_inception_head', head: HEAD } })
    },
  )

  it.each([0, 2])('is refused in epoch %i', (rootEpoch) => {
    expect(changed({ rootEpoch })).toEqual({ ok: false, error: { reason: 'stale_epoch', epoch: 1 } })
  })
})

describe('an attestation', () => {
  it('creates the device from its own terms, not from those the device requested', () => {
    const { capabilities, origin, expiresAt } = attestation.statement
    expect(judge(stateWith(), attestation)).toEqual({
      ok: true,
      value: {
        kind: 'device',
        device: {
          deviceId: DEVICE_ID,
          publicKeyB64u: KEY,
          rootEpoch: 1,
          origin,
          capabilities,
          expiresAt,
          status: 'active',
        },
      },
    })
  })

  it.each([
    ['DID', { did: OTHER_DID }],
    ['deviceId', { deviceId: OTHER_DEVICE_ID }],
    ['key', { devicePublicKeyB64u: OTHER_KEY }],
    ['origin', { origin: 'app:laptop' }],
  ])('is refused with an acceptance for another %s', (_, members) => {
    const { acceptance } = attestation
    const other = { ...acceptance, statement: { ...acceptance.statement, ...members } }
    expect(judge(stateWith(), { ...attestation, acceptance: other })).toEqual(refusal('device_mismatch'))
  })

  it('is refused with an id that does not match the key, even if the device agrees', () => {
    const { acceptance, statement } = attestation
    const named = {
      ...attestation,
      statement: { ...statement, deviceId: OTHER_DEVICE_ID },
      acceptance: { ...acceptance, statement: { ...acceptance.statement, deviceId: OTHER_DEVICE_ID } },
    }
    expect(judge(stateWith(), named)).toEqual(refusal('device_mismatch'))
  })

  it.each<DeviceStatus>(['active', 'suspended'])(
    'is refused for a device that is %s in this epoch and does not expire',
    (status) => {
      expect(judge(stateWith(having(deviceOf(status))), attestation)).toEqual(refusal('device_exists'))
    },
  )

  it.each<DeviceStatus>(['active', 'suspended'])(
    'renews a device with an expiry that is %s in this epoch',
    (status) => {
      for (const expiresAt of [0, 1_790_000_000_000, 1_800_000_000_000]) {
        const full = stateWith({ ...having({ ...deviceOf(status), expiresAt }), countDevices: () => 32 })
        const { capabilities, origin, expiresAt: renewed } = attestation.statement
        expect(judge(full, attestation)).toMatchObject({
          ok: true,
          value: { device: { status: 'active', rootEpoch: 1, origin, capabilities, expiresAt: renewed } },
        })
      }
    },
  )

  it('does not renew a revoked device', () => {
    const device = { ...deviceOf('revoked'), expiresAt: 1_790_000_000_000 }
    expect(judge(stateWith(having(device)), attestation)).toEqual(refusal('device_retired'))
  })

  it.each<DeviceStatus>(['active', 'suspended'])('re-attests a device that was %s before a rotation', (status) => {
    expect(judge(stateWith(having(deviceOf(status, 0))), attestation)).toMatchObject({
      ok: true,
      value: { device: { status: 'active', rootEpoch: 1, origin: 'app:phone', capabilities: ['chain:read'] } },
    })
  })

  it.each([0, 1])('never re-attests a revoked device, attested in epoch %i', (rootEpoch) => {
    expect(judge(stateWith(having(deviceOf('revoked', rootEpoch))), attestation)).toEqual(refusal('device_retired'))
  })

  it('is refused beyond 32 devices', () => {
    expect(MAX_DEVICES).toBe(32)
    expect(judge(stateWith({ countDevices: () => 31 }), attestation).ok).toBe(true)
    expect(judge(stateWith({ countDevices: () => 32 }), attestation)).toEqual(refusal('device_limit'))
    const left = stateWith({ ...having(deviceOf('active', 0)), countDevices: () => 32 })
    expect(judge(left, attestation)).toEqual(refusal('device_limit'))
  })
})

describe('a device event', () => {
  const event = (members: Partial<ChangeDevice['statement']>): ChangeDevice => ({
    ...suspension,
    statement: { ...suspension.statement, ...members },
  })
  const events = [
    event({ event: 'revoke' }),
    event({ event: 'suspend' }),
    event({ event: 'resume' }),
    event({ event: 'capabilities', capabilities: [] }),
  ]

  it.each<[Partial<ChangeDevice['statement']>, DeviceStatus, Partial<Device>]>([
    [{ event: 'revoke' }, 'active', { status: 'revoked' }],
    [{ event: 'revoke' }, 'suspended', { status: 'revoked' }],
    [{ event: 'suspend' }, 'active', { status: 'suspended' }],
    [{ event: 'resume' }, 'suspended', { status: 'active' }],
    [{ event: 'capabilities', capabilities: [] }, 'active', { capabilities: [] }],
    [{ event: 'capabilities', capabilities: ['account:read'] }, 'suspended', { capabilities: ['account:read'] }],
  ])('%j on a device that is %s changes only %j', (members, status, changes) => {
    expect(judge(stateWith(having(deviceOf(status))), event(members))).toEqual({
      ok: true,
      value: { kind: 'device', device: { ...deviceOf(status), ...changes } },
    })
  })

  it.each<[object, DeviceStatus]>([
    [{ event: 'suspend' }, 'suspended'],
    [{ event: 'resume' }, 'active'],
    [{ event: 'capabilities', capabilities: ['chain:append', 'account:read'] }, 'active'],
    [{ event: 'capabilities', capabilities: ['account:read', 'chain:append'] }, 'active'],
    [{ event: 'capabilities', capabilities: ['chain:append', 'account:read'] }, 'suspended'],
  ])('%j on a device that is %s is refused: it changes nothing', (members, status) => {
    const device: Device = { ...deviceOf(status), capabilities: ['chain:append', 'account:read'] }
    expect(judge(stateWith(having(device)), event(members))).toEqual(refusal('device_unchanged'))
  })

  it('does not move a device of an earlier epoch to the current one', () => {
    for (const one of events) {
      const status = one.statement.event === 'resume' ? 'suspended' : 'active'
      expect(judge(stateWith(having(deviceOf(status, 0))), one)).toMatchObject({
        value: { device: { rootEpoch: 0 } },
      })
    }
  })

  it('is refused for a device that was never attested', () => {
    for (const one of events) expect(judge(stateWith(), one)).toEqual(refusal('no_such_device'))
  })

  it('is refused for a revoked device', () => {
    for (const one of events) {
      expect(judge(stateWith(having(deviceOf('revoked'))), one)).toEqual(refusal('device_retired'))
    }
  })

  it('includes capabilities exactly when it changes them', () => {
    expect(changeDeviceSchema.safeParse(event({ event: 'capabilities' })).success).toBe(false)
    for (const name of ['revoke', 'suspend', 'resume'] as const) {
      expect(changeDeviceSchema.safeParse(event({ event: name })).success).toBe(true)
      expect(changeDeviceSchema.safeParse(event({ event: name, capabilities: [] })).success).toBe(false)
    }
    expect(changeDeviceSchema.safeParse(event({ event: 'capabilities', capabilities: [] })).success).toBe(true)
  })
})
