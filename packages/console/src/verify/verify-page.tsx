import './verify.css'
import type { ComponentType } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Configuration } from '../configuration.ts'
import { chunk } from '../failures/chunk.ts'
import { Reload } from '../failures/reload.tsx'
import type { PageProps } from '../page.ts'
import { words as shellWords } from '../words/shell/words.ts'
import { words } from '../words/verify/words.ts'
import { type Input, inputOf, NO_SETTINGS, type Settings, typedInput } from './input.ts'
import type { OptionsProps } from './options.tsx'
import { useDropped } from './use-dropped.ts'

export interface CheckedProps {
  readonly configuration: Configuration
  readonly input: Input
  readonly settings: Settings
  readonly onSettings: (settings: Settings) => void
}

/** The form is the first load; the options, and what verifies and shows the result, are loaded when they are wanted. */
const loadChecked = () => chunk(() => import('./checked.tsx').then(({ Checked }) => Checked))
const loadOptions = () => chunk(() => import('./options.tsx').then(({ Options }) => Options))

export function VerifyPage({ configuration }: PageProps) {
  const [text, setText] = useState('')
  const [input, setInput] = useState<Input | null>(null)
  const [settings, setSettings] = useState(NO_SETTINGS)
  const [isEmpty, setEmpty] = useState(false)
  const [Checked, setChecked] = useState<ComponentType<CheckedProps> | null>(null)
  const [Options, setOptions] = useState<ComponentType<OptionsProps> | null>(null)
  /** A part of the page did not arrive. */
  const [isGone, setGone] = useState(false)
  const picker = useRef<HTMLInputElement>(null)

  const take = (next: Input) => {
    setEmpty(next.bytes.length === 0)
    if (next.bytes.length === 0) return
    setInput(next)
    setSettings((now) => ({ ...now, passphrase: '', mayAskFor: false }))
    setGone(false)
    loadChecked().then(
      (component) => setChecked(() => component),
      () => setGone(true),
    )
  }
  const openOptions = () =>
    void loadOptions().then(
      (component) => setOptions(() => component),
      () => setGone(true),
    )
  const takeFiles = async ([file]: Iterable<File>) => file && take(await inputOf(file))
  const isOver = useDropped((files) => void takeFiles(files))
  useEffect(() => {
    const open = async () => {
      const fragment = location.hash.slice(1)
      if (fragment === '') return
      const { inputOfFragment } = await chunk(() => import('./fragment.ts'))
      const linked = await inputOfFragment(fragment)
      if (linked) take(linked)
    }
    const changed = () => void open().catch(() => setGone(true))
    changed()
    addEventListener('hashchange', changed)
    return () => removeEventListener('hashchange', changed)
  }, [])

  return (
    <div class="verify">
      <h1>{words.title}</h1>
      <p class="lead">{words.lead}</p>
      <form
        class={isOver ? 'drop over' : 'drop'}
        onSubmit={(event) => {
          event.preventDefault()
          take(typedInput(text))
        }}
      >
        <div class="dropped">
          <p>{words.drop}</p>
          <button type="button" class="plain" onClick={() => picker.current?.click()}>
            {words.choose}
          </button>
          <input
            ref={picker}
            type="file"
            class="unseen"
            tabIndex={-1}
            aria-label={words.choose}
            onChange={(event) => void takeFiles(event.currentTarget.files ?? [])}
          />
        </div>
        <label for="typed">{words.paste}</label>
        <textarea
          id="typed"
          rows={3}
          spellcheck={false}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <details class="options" onToggle={openOptions}>
          <summary>{words.options}</summary>
          {Options === null ? null : <Options settings={settings} onSettings={setSettings} />}
        </details>
        <button type="submit">{words.check}</button>
        {isEmpty ? (
          <p class="bad" role="alert">
            {words.empty}
          </p>
        ) : null}
      </form>
      <p class="note">{words.privacy}</p>
      {isGone ? (
        <div class="note" role="alert">
          <p>{shellWords.notLoaded}</p>
          <Reload />
        </div>
      ) : input === null ? null : Checked === null ? (
        <p role="status">{words.checking}</p>
      ) : (
        <Checked configuration={configuration} input={input} settings={settings} onSettings={setSettings} />
      )}
    </div>
  )
}
