import { Client, type Device, type Fetch } from '@svc/client'
import { databaseOf } from '../kept/database.ts'
import type { RootKeys } from './root-keys.ts'

const APP = { name: 'svc-console', version: '0.1.0' }

/** A client that acts as this device, and remembers in this browser what it has seen. */
export function connectAs(core: string, device: Device): Promise<Client> {
  return Client.connect({ core, device, app: APP, fetch: fetchAnew, trustStore: storeOf(device.did) })
}

/**
 * Returns a client for one act of the root key. It opens data that was encrypted to earlier root keys. Without recorded
 * sheets, it uses those that the root key has published.
 */
export function connectAsRoot(
  core: string,
  { identity, former, sheets = [] }: Pick<RootKeys, 'identity' | 'former'> & Partial<Pick<RootKeys, 'sheets'>>,
): Promise<Client> {
  const keys = { identity, former, ...(sheets.length > 0 && { sheets }) }
  return Client.connect({ core, ...keys, app: APP, fetch: fetchAnew, trustStore: storeOf(identity.did) })
}

/** Without an identity, as a device that joins one. */
export function connectAsNobody(core: string): Promise<Client> {
  return Client.connect({ core, app: APP })
}

/** Public answers can be cached for minutes. The browser asks again, or what was just written would not be shown. */
const fetchAnew: Fetch = (url, init) => fetch(url, { ...init, cache: 'no-cache' })
const storeOf = (did: string) => databaseOf(`console-trust-${did}`)
