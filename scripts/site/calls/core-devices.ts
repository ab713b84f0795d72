import { Device } from '@svc/client'
import type { Calls } from './given.ts'

export const inception = {
  async readInceptionHead({ client }) {
    const { sequence, hash } = await client.devices.head()
  },

  async listInceptionEvents({ client }) {
    const { devices, roster } = await client.devices.verify()
  },

  async attestDevice({ client, identity, origin }) {
    const device = await Device.create({ origin, capabilities: ['chain:read'] })
    await client.devices.attest(await device.acceptance(identity.did, client))
  },

  async changeDevice({ client, device }) {
    await client.devices.suspend(device.deviceId)
  },

  async batchDevices({ client, device }) {
    const head = await client.devices.head()
    const event = await client.devices.makeChange(device.deviceId, { event: 'suspend' }, head)
    await client.devices.batch([event])
  },

  async inceptOrg({ client, friend }) {
    const head = await client.devices.head()
    const statement = await client.organization.makeInception([friend.identity.did], 1, head)
    await client.organization.incept(statement, [await friend.client.organization.accept(statement)])
  },

  async rotateOfficers({ org, officer, friend }) {
    const head = await org.client.devices.head()
    const statement = await org.client.organization.makeRotation([friend.identity.did], 1, 2, head)
    await org.client.organization.rotateOfficers(statement, {
      approvals: [await officer.client.organization.approve(statement)],
      acceptances: [await friend.client.organization.accept(statement)],
    })
  },
} satisfies Calls

export const pairing = {
  async openPairing({ client }) {
    const { code, token, did } = await client.pairing.offer()
  },

  async readPairing({ client }) {
    const { code } = await client.pairing.offer()
    const { status, request } = await client.pairing.read(code)
  },

  async cancelPairing({ client }) {
    const { code } = await client.pairing.offer()
    await client.pairing.cancel(code)
  },

  async joinPairing({ client, origin }) {
    const offer = await client.pairing.offer()
    // On the new device:
    const device = await Device.create({ origin, capabilities: ['chain:read'] })
    const { confirmationCode } = await client.pairing.join(offer, device)
  },

  async sealPairing({ client, origin }) {
    const offer = await client.pairing.offer()
    const device = await Device.create({ origin, capabilities: ['chain:read'] })
    const { confirmationCode } = await client.pairing.join(offer, device)
    const attestation = await client.pairing.approve(offer.code, confirmationCode)
    await client.pairing.seal(offer.code, attestation, new TextEncoder().encode('welcome'))
  },

  async takeSealed({ client, origin }) {
    const offer = await client.pairing.offer()
    const device = await Device.create({ origin, capabilities: ['chain:read'] })
    const { confirmationCode } = await client.pairing.join(offer, device)
    await client.pairing.seal(offer.code, await client.pairing.approve(offer.code, confirmationCode))
    // On the new device, which is a device of the identity from here on:
    const { device: attested } = await client.pairing.take(offer, device)
  },
} satisfies Calls

export const authorization = {
  async openAuthorization({ client }) {
    const { code, token, did } = await client.authorization.offer()
  },

  async readAuthorization({ client }) {
    const { code } = await client.authorization.offer()
    const { status, request } = await client.authorization.read(code)
  },

  async cancelAuthorization({ client }) {
    const { code } = await client.authorization.offer()
    await client.authorization.cancel(code)
  },

  async joinAuthorization({ client, origin }) {
    const offer = await client.authorization.offer()
    // On the new device:
    const device = await Device.create({ origin, capabilities: ['chain:read'] })
    const { confirmationCode } = await client.authorization.join(offer, device)
  },

  async grantAuthorization({ client, origin }) {
    const offer = await client.authorization.offer()
    const device = await Device.create({ origin, capabilities: ['chain:read'] })
    const { confirmationCode } = await client.authorization.join(offer, device)
    const attestation = await client.authorization.approve(offer.code, confirmationCode)
    await client.authorization.grant(offer.code, attestation, new TextEncoder().encode('a key'))
  },

  async takeGrant({ client, origin }) {
    const offer = await client.authorization.offer()
    const device = await Device.create({ origin, capabilities: ['chain:read'] })
    const { confirmationCode } = await client.authorization.join(offer, device)
    const attestation = await client.authorization.approve(offer.code, confirmationCode)
    await client.authorization.grant(offer.code, attestation, new TextEncoder().encode('a key'))
    // On the new device:
    const { payload } = await client.authorization.take(offer, device)
  },
} satisfies Calls
