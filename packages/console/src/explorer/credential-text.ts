import { words } from '../words/explorer/words.ts'
import type { Operation } from './operations.ts'

/** What a request of the operation needs, in sentences. */
export function credentialText({ audience, isOptional, capability, schemes }: Operation): string {
  const names = schemes.map(({ name }) => name)
  if (audience === null) return names.length === 0 ? words.open : names.map(words.takes).join(' ')
  return [words.needs(audience), isOptional ? words.optional : '', deviceText(capability), ...names.map(words.instead)]
    .filter((one) => one !== '')
    .join(' ')
}

function deviceText(capability: Operation['capability']): string {
  if (capability === null) return words.rootOnly
  return capability === 'any' ? words.anyDevice : words.device(capability)
}
