import { RistrettoGroup } from './group.ts'
import ristretto from './ristretto.wasm'
import { OpaqueServer } from './rules.ts'

export const group = new RistrettoGroup(ristretto)
export const server = new OpaqueServer(group)
