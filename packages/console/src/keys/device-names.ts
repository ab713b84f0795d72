/**
 * What a person calls their devices. Names are in this browser alone: the log of an identity has none, because what is in
 * it stays there.
 *
 * @module
 */
import { inBrowser } from '../kept/web-storage.ts'

const NAMES = 'svc-device-names'
export const MAX_NAME_CHARS = 60

/** By the id of the device. */
export function deviceNames(): Readonly<Record<string, string>> {
  return JSON.parse(inBrowser.get(NAMES) ?? '{}') as Record<string, string>
}

/** An empty name leaves the device without one. */
export function nameDevice(deviceId: string, name: string): void {
  const { [deviceId]: _, ...others } = deviceNames()
  const named = name.trim() === '' ? {} : { [deviceId]: name.trim() }
  inBrowser.set(NAMES, JSON.stringify({ ...others, ...named }))
}

export const forgetDeviceNames = (): void => inBrowser.delete(NAMES)
