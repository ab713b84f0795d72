import type { SignedLogList } from '@svc/protocol/merkle/log-list'
import type { FakeDeployment } from '../deployment.fixture.ts'
import { Mirror } from '../mirror.ts'
import { MirrorStore } from '../mirror-store.ts'
import { pin } from '../pinned.fixture.ts'
import { BUCKET, CORE, NOW, statePath } from '../signed-parts.fixture.ts'

/** A mirror that has visited the deployment once, and visits it again. */
export async function followed(deployment: FakeDeployment, path = statePath(), list?: SignedLogList) {
  const store = new MirrorStore(path)
  pin(store, list)
  let time = NOW
  const mirror = new Mirror({ core: CORE, buckets: [BUCKET, 7], fetch: deployment.fetch, now: () => time }, store)
  const visit = async () => {
    const visits = []
    for await (const one of mirror.visit()) visits.push(one)
    // Core's discovery document is not served here.
    return visits.filter(({ source }) => source !== 'discovery')
  }
  const later = (afterMs: number) => {
    time = NOW + afterMs
    return visit()
  }
  return { store, mirror, visit, later, visits: await visit() }
}
