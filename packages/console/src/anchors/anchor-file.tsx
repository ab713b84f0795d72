import type { Client } from '@svc/client'
import { useState } from 'preact/hooks'
import { Exact } from '../content/exact.tsx'
import type { Own } from '../own/own.ts'
import { RootAct } from '../own/root-act.tsx'
import { Field } from '../shell/field.tsx'
import { FileField } from '../shell/file-field.tsx'
import { useTask } from '../shell/task.tsx'
import { words } from '../words/anchors/words.ts'
import { epochOf, type HashedFile, hashedFile } from './hashed-file.ts'

interface AnchorFileProps extends Own {
  readonly onAnchored: () => void
}

/** A file of this device: hashed here, and its hash submitted with the root key's signature. */
export function AnchorFile({ core, rootLock, onAnchored }: AnchorFileProps) {
  const task = useTask()
  const [file, setFile] = useState<HashedFile | null>(null)
  const [label, setLabel] = useState('')
  const choose = (chosen: File) =>
    task.run(async () => {
      // A percent at a time, or a large file would spend its time on showing it.
      let shown = 0
      const onProgress = ({ done, total }: { readonly done: number; readonly total: number | null }) => {
        const percent = total === null || total === 0 ? 0 : Math.floor((100 * done) / total)
        if (percent === shown) return
        shown = percent
        task.say(words.hashing(percent))
      }
      setFile(await hashedFile(chosen, onProgress))
      setLabel(epochOf(chosen.name))
      task.say('')
    }, words.hashing(0))
  const submit = async (client: Client, root: string) => {
    await client.anchors.submit({ root, epoch: epochOf(label) })
    setFile(null)
    task.say(words.anchored)
    onAnchored()
  }
  return (
    <section class="panel">
      <h2>{words.anchor}</h2>
      <FileField label={words.file} hint={words.fileHint} onFile={(chosen) => void (chosen && choose(chosen))} />
      {file === null ? null : (
        <>
          <dl>
            <dt>{words.hash}</dt>
            <dd>
              <Exact>{file.root}</Exact>
            </dd>
          </dl>
          <Field label={words.label} hint={words.labelHint} value={label} onValue={setLabel} maxLength={64} />
          <RootAct
            core={core}
            rootLock={rootLock}
            action={words.anchorIt}
            onAct={(client) => submit(client, file.root)}
          />
        </>
      )}
    </section>
  )
}
