import './log.css'
import type { PageProps } from '../page.ts'
import { usePublicReader } from '../services/public-reader.ts'
import { words } from '../words/log/words.ts'
import { AllLogs } from './all-logs.tsx'
import { NewestCheckpoint } from './newest-checkpoint.tsx'
import { PinnedKeys } from './pinned-keys.tsx'
import { forgetVisits } from './visits.ts'

/** The logs of the deployment, as anybody can check them. Needs no key. */
export function LogPage({ configuration }: PageProps) {
  const reader = usePublicReader(configuration.services.core)
  return (
    <div class="logs">
      <h1>{words.title}</h1>
      <p>{words.lead}</p>
      <PinnedKeys reader={reader} />
      <NewestCheckpoint series="anchors" reader={reader} />
      <NewestCheckpoint series="transparency" reader={reader} />
      <AllLogs reader={reader} />
      <button
        type="button"
        class="plain"
        onClick={() => {
          forgetVisits()
          location.reload()
        }}
      >
        {words.forget}
      </button>
    </div>
  )
}
