/** A mirror that is killed before one of its writes. Arguments: state file, number of the write, origin of the deployment. */

import { Mirror } from '../mirror.ts'
import { MirrorStore } from '../mirror-store.ts'
import { pin } from '../pinned.fixture.ts'
import { BUCKET, CORE, NOW } from '../signed-parts.fixture.ts'

const [path = '', write = '', origin = ''] = process.argv.slice(2)

class DyingStore extends MirrorStore {
  left = Number.POSITIVE_INFINITY

  override run(...given: Parameters<MirrorStore['run']>): void {
    this.left -= 1
    if (this.left === 0) process.kill(process.pid, 'SIGKILL')
    super.run(...given)
  }
}

const store = new DyingStore(path)
pin(store)
store.left = Number(write)
const fetch = (address: string) => {
  const { pathname, search } = new URL(address)
  return globalThis.fetch(origin + pathname + search)
}
const mirror = new Mirror({ core: CORE, buckets: [BUCKET, 7], fetch, now: () => NOW }, store)
for await (const visit of mirror.visit()) console.log(JSON.stringify(visit))
