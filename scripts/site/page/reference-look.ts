/**
 * Runs before a page of the SDK reference is shown. TypeDoc keeps a theme of its own: this one makes it the look that the
 * reader chose on the site, and the other way round.
 *
 * @module
 */
type Look = 'light' | 'dark'
const isLook = (value: string | null): value is Look => value === 'light' || value === 'dark'

try {
  const look = localStorage.getItem('look')
  const theme = isLook(look) ? look : 'os'
  localStorage.setItem('tsd-theme', theme)
  document.documentElement.dataset['theme'] = theme
  document.addEventListener('change', ({ target }) => {
    if (!(target instanceof HTMLSelectElement) || target.id !== 'tsd-theme') return
    if (isLook(target.value)) localStorage.setItem('look', target.value)
    else localStorage.removeItem('look')
  })
} catch {
  // Storage is blocked: the page follows the system.
}
