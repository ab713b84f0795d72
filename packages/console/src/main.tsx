import { render } from 'preact'
import { App } from './app.tsx'
import { readConfiguration } from './configuration.ts'
import { keepForOffline } from './offline/keep.ts'
import { pageAt } from './pages.ts'
import { withoutEval } from './without-eval.ts'
import { language } from './words/language.ts'

withoutEval()

/** Of index.html. */
const root = document.getElementById('app') as HTMLElement
document.documentElement.lang = language

try {
  // Both are on their way at once. The app says if the page does not arrive.
  const first = pageAt(location.pathname)
    .load()
    .catch(() => undefined)
  render(<App configuration={await readConfiguration()} first={await first} />, root)
  keepForOffline()
} catch (error) {
  console.error(error)
  render(<p role="alert">This page could not be loaded. Reload it; if that does not help, ask the operator.</p>, root)
}
