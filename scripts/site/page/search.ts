/**
 * The search: loaded with its index when somebody opens it, and asked on this page alone.
 *
 * @module
 */
import type MiniSearch from 'minisearch'
import type { Section } from '../search/options.ts'
import { opened } from '../search/packed.ts'
import { type Result, resultsOf } from '../search/results.ts'

let dialog: HTMLDialogElement | undefined

export function openSearch(index: string): void {
  dialog ??= makeDialog(index)
  if (!dialog.open) dialog.showModal()
  dialog.querySelector('input')?.select()
}

/** A dialog that can be typed into while its index loads. */
function makeDialog(index: string): HTMLDialogElement {
  const made = document.createElement('dialog')
  made.className = 'finder'
  made.setAttribute('aria-label', 'Search')
  made.innerHTML =
    '<form method="dialog"><input type="search" name="query" placeholder="Search the documentation" aria-label="Search the documentation" autocomplete="off" spellcheck="false"><button type="submit" value="close">Close</button></form><p role="status"></p><ol></ol>'
  document.body.append(made)
  const input = made.querySelector('input')!
  const status = made.querySelector('p')!
  const list = made.querySelector('ol')!
  status.textContent = 'Loading …'
  made.addEventListener('click', (event) => event.target === made && made.close())
  input.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter') return
    event.preventDefault()
    list.querySelector('a')?.click()
  })
  made.addEventListener('keydown', (event) => moveWithin(made, event))
  list.addEventListener('click', () => made.close())
  const begin = (engine: MiniSearch<Section>) => {
    const show = () => {
      const query = input.value.trim()
      const found = query === '' ? [] : resultsOf(engine, query)
      list.replaceChildren(...found.map(itemOf))
      status.textContent = query === '' ? '' : found.length === 0 ? 'Nothing found' : `${found.length} results`
    }
    input.addEventListener('input', show)
    show()
  }
  loadIndex(index).then(begin, () => {
    status.textContent = 'The index could not be loaded. Reload the page to try again.'
  })
  return made
}

async function loadIndex(index: string): Promise<MiniSearch<Section>> {
  const response = await fetch(index)
  if (!response.ok) throw new Error(`status ${response.status}`)
  return opened(await response.text())
}

function itemOf({ id, title, heading, group, excerpt }: Result): HTMLLIElement {
  const item = document.createElement('li')
  const link = document.createElement('a')
  link.href = id
  const name = document.createElement('strong')
  name.textContent = heading === '' ? title : heading
  const page = document.createElement('span')
  page.textContent = heading === '' ? '' : title
  const text = document.createElement('small')
  text.textContent = excerpt
  const kind = document.createElement('em')
  kind.textContent = group
  link.append(kind, name, page, text)
  item.append(link)
  return item
}

/** Arrow keys go through the results. */
function moveWithin(within: HTMLElement, event: KeyboardEvent): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  if (step === undefined) return
  event.preventDefault()
  const stops = [...within.querySelectorAll<HTMLElement>('input, ol a')]
  const at = stops.indexOf(document.activeElement as HTMLElement)
  stops[Math.max(0, Math.min(stops.length - 1, at + step))]?.focus()
}
