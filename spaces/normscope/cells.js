// The heatmap: gradio runs this with the component's element and how it triggers an event.
const cells = () => [...element.querySelectorAll('[data-cell]')];
element.addEventListener('click', (event) => {
  const cell = event.target.closest('[data-cell]');
  if (!cell) return;
  cells().forEach((other) => other.setAttribute('aria-pressed', other === cell));
  trigger('click', { cell: cell.dataset.cell });
});
element.addEventListener('keydown', (event) => {
  const cell = event.target.closest('[data-cell]');
  const step = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] };
  if (!cell || !step[event.key]) return;
  const [down, across] = step[event.key];
  const at = cell.parentElement.cellIndex, row = cell.closest('tr');
  const next = row.parentElement.rows[row.sectionRowIndex + down]?.cells[at + across];
  const button = next?.querySelector('[data-cell]');
  if (button) { button.focus(); event.preventDefault(); }
});
