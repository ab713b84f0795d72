import type { AnchorStamp, Client } from '@svc/client'
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
export function AnchorFile({ client, core, rootLock, onAnchored }: AnchorFileProps) {
  const task = useTask()
  const [file, setFile] = useState<HashedFile | null>(null)
  const [label, setLabel] = useState('')
  const [isFindable, setFindable] = useState(false)
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
      setLabel('')
      setFindable(false)
      task.say('')
    }, words.hashing(0))
  const submit = async (root: Client, { hash, name }: HashedFile) => {
    // This browser keeps the stamp: it reads it again, and the root key is only here for one signature.
    const keep = (stamp: AnchorStamp) => client.anchors.keep(stamp)
    await root.anchors.stamp({ hash, name }, { epoch: epochOf(label), isFindable, keep })
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
              <Exact>{file.hash}</Exact>
            </dd>
          </dl>
          <Field label={words.label} hint={words.labelHint} value={label} onValue={setLabel} maxLength={64} />
          <label class="choice">
            <input
              type="checkbox"
              checked={isFindable}
              onChange={(event) => setFindable(event.currentTarget.checked)}
            />
            {words.findable}
          </label>
          <p class="hint">{isFindable ? words.findableHint : words.blindHint}</p>
          <RootAct core={core} rootLock={rootLock} action={words.anchorIt} onAct={(root) => submit(root, file)} />
        </>
      )}
    </section>
  )
}
