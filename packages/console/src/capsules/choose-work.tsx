import { useId, useState } from 'preact/hooks'
import type { DraftDevice } from '../drafts/sealing.ts'
import { useDraft } from '../drafts/use-draft.ts'
import { SaidError } from '../failures/sentences.ts'
import { Button } from '../shell/button.tsx'
import { FileField } from '../shell/file-field.tsx'
import { type Input, inputOf, typedInput } from '../verify/input.ts'
import { isSearchable } from '../verify/searchable.ts'
import { words } from '../words/capsules/words.ts'

export type Deed = 'register' | 'commit' | 'search'

interface ChooseWorkProps {
  readonly device: DraftDevice
  readonly onDeed: (deed: Deed, input: Input) => Promise<void>
  readonly onChosen: () => void
}

/** A text or a file, and what can be done with it. */
export function ChooseWork({ device, onDeed, onChosen }: ChooseWorkProps) {
  const id = useId()
  const { text, setText, settle } = useDraft(device, 'work')
  const [file, setFile] = useState<Input | null>(null)
  const input = file ?? typedInput(text)
  const pressed = (deed: Deed) => async () => {
    if (input.bytes.length === 0) throw new SaidError(words.nothing)
    if (deed === 'search' && !isSearchable(input)) throw new SaidError(words.onlyMedia)
    try {
      await onDeed(deed, input)
      if (deed === 'register') settle()
    } catch (error) {
      throw error instanceof RangeError ? new SaidError(words.tooShort) : error
    }
  }
  return (
    <section class="panel">
      <h2>{words.choose}</h2>
      <label for={id}>{words.text}</label>
      <textarea
        id={id}
        rows={5}
        value={text}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value)
          setFile(null)
          onChosen()
        }}
      />
      <FileField
        label={words.file}
        hint={words.fileHint}
        onFile={(chosen) => {
          if (chosen) void inputOf(chosen).then(setFile)
          else setFile(null)
          onChosen()
        }}
      />
      {file === null ? null : <p>{words.chosen(file.name ?? '', (file.bytes.length / 1000).toFixed(1))}</p>}
      <div class="actions">
        <Button onPress={pressed('register')}>{words.register}</Button>
        <Button look="plain" onPress={pressed('commit')}>
          {words.commit}
        </Button>
        <Button look="plain" onPress={pressed('search')}>
          {words.search}
        </Button>
      </div>
      <small class="hint">{words.about.register}</small>
      <small>{words.about.commit}</small>
    </section>
  )
}
