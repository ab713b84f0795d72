import { hashHex } from '@svc/protocol/base/hash'
import { type Lie, verifying } from '../situation.ts'
import { FILE } from './registered.ts'

const file = (path: string, named: unknown) => {
  const situation = { bytes: FILE, args: () => [named], answers: () => ({ [path]: situation.bytes }) }
  return situation
}
const changedFile: Lie<ReturnType<typeof file>> = {
  lie: 'changes a byte of the file',
  tell: (s) => {
    s.bytes = new Uint8Array([...FILE.slice(1), 0])
  },
  subject: 'file',
  reason: 'hash_mismatch',
}

/** Files that are named by their hash. */
export const HASHED_FILES = [
  verifying({
    name: 'client.provenance.keypoints',
    honest: () => file(`/keypoints/${hashHex(FILE)}.akpb`, hashHex(FILE)),
    lies: [changedFile],
  }),
  verifying({
    name: 'client.provenance.model',
    honest: () => file('/models/model.onnx', { file: 'model.onnx', bytes: FILE.length, sha3_384: hashHex(FILE) }),
    lies: [changedFile],
  }),
]
