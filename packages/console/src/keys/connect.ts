import { Client, type Device, type Identity } from '@svc/client'
import { IndexedDbStore } from '@svc/client/browser'

const APP = { name: 'svc-console', version: '0.1.0' }

/** A client that acts as this device, and remembers in this browser what it has seen. */
export function connectAs(core: string, device: Device): Promise<Client> {
  return Client.connect({ core, device, app: APP, trustStore: storeOf(device.did) })
}

/** A client for one act of the root key. */
export function connectAsRoot(core: string, identity: Identity): Promise<Client> {
  return Client.connect({ core, identity, app: APP, trustStore: storeOf(identity.did) })
}

/** Without an identity, as a device that joins one. */
export function connectAsNobody(core: string): Promise<Client> {
  return Client.connect({ core, app: APP })
}

const storeOf = (did: string) => new IndexedDbStore(`console-trust-${did}`)
