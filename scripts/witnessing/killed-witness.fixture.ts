/** A witness that is killed at one step of one request. Arguments: state file, step, request as base64. */
import type { Result } from '@svc/protocol/base/result'
import type { KnownHead } from '@svc/tlog/witness-rules'
import { keys, TestLog, witnessOver } from './witness.fixture.ts'
import { WitnessStore } from './witness-store.ts'

const [path = '', step = '', body = ''] = process.argv.slice(2)
const die = () => process.kill(process.pid, 'SIGKILL')

class DyingStore extends WitnessStore {
  override advance<E>(origin: string, checkpoint: string, decide: (known: KnownHead | null) => Result<KnownHead, E>) {
    if (step === 'before storing') die()
    const decided = super.advance(origin, checkpoint, decide)
    if (step === 'before answering') die()
    return decided
  }
}

const log = await TestLog.create()
const cosigners = keys.cosigners.map((cosigner) => ({
  ...cosigner,
  async sign(text: string, now: number) {
    if (step === 'before signing') die()
    return cosigner.sign(text, now)
  },
}))
const { witness } = witnessOver(`${path}.unused`, [log.listed], { store: new DyingStore(path), cosigners })
const answer = await witness.addCheckpoint(new Uint8Array(Buffer.from(body, 'base64')))
console.log(answer.status)
