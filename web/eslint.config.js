import js from '@eslint/js';
import tseslint from 'typescript-eslint';

export default tseslint.config(
  { ignores: ['node_modules/', 'dist/'] },
  js.configs.recommended,
  ...tseslint.configs.strict,
  ...tseslint.configs.stylistic,
  { rules: { eqeqeq: 'error', 'no-restricted-syntax': ['error', { selector: "AssignmentExpression[left.property.name='innerHTML']", message: 'Names come from files: insert them as text.' }] } },
  { files: ['pages/**/*.mjs'], languageOptions: { globals: { process: 'readonly', console: 'readonly', document: 'readonly', performance: 'readonly', requestAnimationFrame: 'readonly', window: 'readonly', URL: 'readonly' } } },
);
