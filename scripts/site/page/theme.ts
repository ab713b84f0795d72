/**
 * Runs before the page is shown: applies the reader's choice of light or dark, and tells the style sheet that scripts run.
 *
 * @module
 */
const root = document.documentElement
root.classList.add('scripts')
try {
  const look = localStorage.getItem('look')
  if (look === 'light' || look === 'dark') root.dataset['look'] = look
} catch {
  // Storage is blocked: the page follows the system.
}
