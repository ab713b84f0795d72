/**
 * What a page does beyond HTML: light or dark, copy buttons, language tabs, and opening the search. Every page can be read
 * without it.
 *
 * @module
 */
import { addCopyButtons } from './copy.ts'
import { addTabs } from './tabs.ts'

const root = document.documentElement

function setUpLook(button: HTMLButtonElement): void {
  const system = matchMedia('(prefers-color-scheme: dark)')
  const isDark = () => (root.dataset['look'] ?? (system.matches ? 'dark' : 'light')) === 'dark'
  const show = () => button.setAttribute('aria-pressed', String(isDark()))
  button.addEventListener('click', () => {
    const look = isDark() ? 'light' : 'dark'
    root.dataset['look'] = look
    remember('look', look)
    show()
  })
  system.addEventListener('change', show)
  show()
}

function setUpSearch(button: HTMLButtonElement): void {
  const { script = '', index = '' } = button.dataset
  const open = async () => {
    const { openSearch } = (await import(script)) as typeof import('./search.ts')
    openSearch(index)
  }
  button.addEventListener('click', () => void open())
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target instanceof HTMLElement && event.target.closest('input, textarea, select') !== null
    const isSlash = event.key === '/' && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey
    const isCommandK = event.key === 'k' && (event.ctrlKey || event.metaKey)
    if (!isSlash && !isCommandK) return
    event.preventDefault()
    void open()
  })
}

/** The open group of the contents can be longer than the screen. */
function showPlaceInContents(): void {
  const contents = document.getElementById('contents')
  const current = contents?.querySelector('[aria-current=page]')
  if (!contents || !current) return
  const { top, bottom } = current.getBoundingClientRect()
  if (top < 0 || bottom > innerHeight) contents.scrollTop += top - innerHeight / 2
}

/** How far below the bar a heading still counts as read. */
const READ_PX = 120

/** Marks the section that is being read in the list beside the text. */
function followSections(list: Element): void {
  const links = [...list.querySelectorAll('a')]
  const headings = links.map((link) => document.getElementById(decodeURIComponent(link.hash.slice(1))))
  const mark = () => {
    const at = headings.findLastIndex((heading) => (heading?.getBoundingClientRect().top ?? Infinity) < READ_PX)
    for (const [place, link] of links.entries()) link.classList.toggle('read', place === at)
  }
  let isAsked = false
  addEventListener(
    'scroll',
    () => {
      if (isAsked) return
      isAsked = true
      requestAnimationFrame(() => {
        isAsked = false
        mark()
      })
    },
    { passive: true },
  )
  mark()
}

function remember(name: string, value: string): void {
  try {
    localStorage.setItem(name, value)
  } catch {
    // Storage is blocked: the choice holds for this page.
  }
}

const look = document.querySelector<HTMLButtonElement>('button.look')
if (look) setUpLook(look)
const search = document.querySelector<HTMLButtonElement>('button.search')
if (search) setUpSearch(search)
const sections = document.querySelector('.toc')
if (sections) followSections(sections)
showPlaceInContents()
addTabs(document, remember)
addCopyButtons(document)
