BEGIN TRANSACTION;
CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL);
INSERT INTO "alembic_version" VALUES('e43177bfe90b');
CREATE TABLE assignment (
	id VARCHAR(32) NOT NULL, 
	name VARCHAR(128) NOT NULL, 
	duedate DATETIME, 
	course_id VARCHAR(128) NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (name), 
	FOREIGN KEY(course_id) REFERENCES course (id)
);
INSERT INTO "assignment" VALUES('0d7e134e9077414d832bb3e79d28926c','20_power',NULL,'chip2cluster');
CREATE TABLE base_cell (
	id VARCHAR(32) NOT NULL, 
	name VARCHAR(128) NOT NULL, 
	notebook_id VARCHAR(32) NOT NULL, 
	type VARCHAR(50), 
	PRIMARY KEY (id), 
	UNIQUE (name, notebook_id, type), 
	FOREIGN KEY(notebook_id) REFERENCES notebook (id)
);
INSERT INTO "base_cell" VALUES('33a86ed73ee641a8bf34af709b318167','bill-check','961fcf5171a2463e90b6558a16b614eb','GradeCell');
INSERT INTO "base_cell" VALUES('79c36e4a7f9c472886c2d70b3ea0ce2f','hottest-check','961fcf5171a2463e90b6558a16b614eb','GradeCell');
INSERT INTO "base_cell" VALUES('a831089e47c043c8af3198b54aa7800a','answer','961fcf5171a2463e90b6558a16b614eb','GradeCell');
INSERT INTO "base_cell" VALUES('ab633312150f4797b03300b2e441d5df','bill','961fcf5171a2463e90b6558a16b614eb','SolutionCell');
INSERT INTO "base_cell" VALUES('c46449d01d4a4b53a17a6b09586df46a','hottest','961fcf5171a2463e90b6558a16b614eb','SolutionCell');
INSERT INTO "base_cell" VALUES('3cc450158d114e138df74d82c4ad53a4','answer','961fcf5171a2463e90b6558a16b614eb','SolutionCell');
CREATE TABLE comment (
	id VARCHAR(32) NOT NULL, 
	notebook_id VARCHAR(32), 
	cell_id VARCHAR(32), 
	auto_comment TEXT, 
	manual_comment TEXT, 
	PRIMARY KEY (id), 
	UNIQUE (cell_id, notebook_id), 
	FOREIGN KEY(notebook_id) REFERENCES submitted_notebook (id), 
	FOREIGN KEY(cell_id) REFERENCES base_cell (id)
);
INSERT INTO "comment" VALUES('ea772d2f12f548899f4e2e313388d037','d3dcb470e7f54d00842b0cc3ffd8ad6e','ab633312150f4797b03300b2e441d5df',NULL,NULL);
INSERT INTO "comment" VALUES('ab7579b46e1a4f13b6bcc264d0ac4e27','d3dcb470e7f54d00842b0cc3ffd8ad6e','c46449d01d4a4b53a17a6b09586df46a',NULL,NULL);
INSERT INTO "comment" VALUES('acb4f8be798448ecbcde46499c260915','d3dcb470e7f54d00842b0cc3ffd8ad6e','3cc450158d114e138df74d82c4ad53a4','No response.',NULL);
INSERT INTO "comment" VALUES('a3ca05e659894fe786e8897cf52bfdfe','a955f90e8afc4b3d97edc7fead2bc454','ab633312150f4797b03300b2e441d5df',NULL,NULL);
INSERT INTO "comment" VALUES('ec5e5d3db1fb45f88365521e9456ea4e','a955f90e8afc4b3d97edc7fead2bc454','c46449d01d4a4b53a17a6b09586df46a',NULL,NULL);
INSERT INTO "comment" VALUES('6f44b03409274b2b959bef748f4ada52','a955f90e8afc4b3d97edc7fead2bc454','3cc450158d114e138df74d82c4ad53a4','No response.',NULL);
CREATE TABLE course (
	id VARCHAR(128) NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (id)
);
INSERT INTO "course" VALUES('chip2cluster');
INSERT INTO "course" VALUES('default_course');
CREATE TABLE grade (
	id VARCHAR(32) NOT NULL, 
	notebook_id VARCHAR(32), 
	cell_id VARCHAR(32), 
	auto_score FLOAT, 
	manual_score FLOAT, 
	extra_credit FLOAT, 
	needs_manual_grade BOOLEAN NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (cell_id, notebook_id), 
	FOREIGN KEY(notebook_id) REFERENCES submitted_notebook (id), 
	FOREIGN KEY(cell_id) REFERENCES base_cell (id)
);
INSERT INTO "grade" VALUES('26569bccefd4456cb56449e9a583e9d6','d3dcb470e7f54d00842b0cc3ffd8ad6e','33a86ed73ee641a8bf34af709b318167',2.0,NULL,NULL,0);
INSERT INTO "grade" VALUES('9cf217ad2ed7445eab8a371095d5e792','d3dcb470e7f54d00842b0cc3ffd8ad6e','79c36e4a7f9c472886c2d70b3ea0ce2f',1.6,NULL,NULL,0);
INSERT INTO "grade" VALUES('50c9162387a4467f91b26ed3f76cba97','d3dcb470e7f54d00842b0cc3ffd8ad6e','a831089e47c043c8af3198b54aa7800a',0.0,NULL,NULL,0);
INSERT INTO "grade" VALUES('5c47b397357a43ed92464096e242d16a','a955f90e8afc4b3d97edc7fead2bc454','33a86ed73ee641a8bf34af709b318167',0.0,NULL,NULL,0);
INSERT INTO "grade" VALUES('17e44c2a0f654e76ab0c4312f85c104c','a955f90e8afc4b3d97edc7fead2bc454','79c36e4a7f9c472886c2d70b3ea0ce2f',1.6,NULL,NULL,0);
INSERT INTO "grade" VALUES('a68741435a0246bf97d4cdab0da427cd','a955f90e8afc4b3d97edc7fead2bc454','a831089e47c043c8af3198b54aa7800a',0.0,NULL,NULL,0);
CREATE TABLE grade_cells (
	id VARCHAR(32) NOT NULL, 
	max_score FLOAT NOT NULL, 
	cell_type VARCHAR(8) NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(id) REFERENCES base_cell (id)
);
INSERT INTO "grade_cells" VALUES('33a86ed73ee641a8bf34af709b318167',2.0,'code');
INSERT INTO "grade_cells" VALUES('79c36e4a7f9c472886c2d70b3ea0ce2f',2.0,'code');
INSERT INTO "grade_cells" VALUES('a831089e47c043c8af3198b54aa7800a',6.0,'markdown');
CREATE TABLE notebook (
	id VARCHAR(32) NOT NULL, 
	name VARCHAR(128) NOT NULL, 
	assignment_id VARCHAR(32), 
	kernelspec VARCHAR(1024), 
	PRIMARY KEY (id), 
	UNIQUE (name, assignment_id), 
	FOREIGN KEY(assignment_id) REFERENCES assignment (id)
);
INSERT INTO "notebook" VALUES('961fcf5171a2463e90b6558a16b614eb','lab_20_power','0d7e134e9077414d832bb3e79d28926c','{"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}');
CREATE TABLE solution_cells (
	id VARCHAR(32) NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(id) REFERENCES base_cell (id)
);
INSERT INTO "solution_cells" VALUES('ab633312150f4797b03300b2e441d5df');
INSERT INTO "solution_cells" VALUES('c46449d01d4a4b53a17a6b09586df46a');
INSERT INTO "solution_cells" VALUES('3cc450158d114e138df74d82c4ad53a4');
CREATE TABLE source_cell (
	id VARCHAR(32) NOT NULL, 
	name VARCHAR(128) NOT NULL, 
	cell_type VARCHAR(8) NOT NULL, 
	locked BOOLEAN NOT NULL, 
	source TEXT, 
	checksum VARCHAR(128), 
	notebook_id VARCHAR(32), 
	PRIMARY KEY (id), 
	UNIQUE (name, notebook_id), 
	FOREIGN KEY(notebook_id) REFERENCES notebook (id)
);
INSERT INTO "source_cell" VALUES('e37c1ce9ca6446c7a22693fab08b149b','title','markdown',1,'# some words a title that says what is done

*You need: some words · Time: about some words minutes · 10 points, 4 of them marked by machine and 6 by hand*

some words the situation: what the reader has, and what is known by the end.','6bf1dcf76c28047a9dba7e19e80da5cc','961fcf5171a2463e90b6558a16b614eb');
INSERT INTO "source_cell" VALUES('1e88cb2c31da4fab90b29bd96f4a617c','task-bill','markdown',1,'## 1 · some words the title

*difficulty ●○○○○ · importance ●●●○○ · 5 minutes · 2 points*

some words what the function is given, with units, and what it returns.','fe2255407b9633dc21ab915b1993b084','961fcf5171a2463e90b6558a16b614eb');
INSERT INTO "source_cell" VALUES('328002c86762492bb0f92f8f78898eb1','bill','code',0,'def bill(watts, hours):
    raise NotImplementedError','2fc98e5fa60638acbf05fa5bc59f2a9c','961fcf5171a2463e90b6558a16b614eb');
INSERT INTO "source_cell" VALUES('83644e78af234a3894d562f16bdd1d6c','bill-check','code',1,'check("lab.power.bill", bill)
### BEGIN HIDDEN TESTS
from autograder.grading import award

award("lab.power.bill", bill, points=2)
### END HIDDEN TESTS','854cd5b487801b5ef1e612159bb55c45','961fcf5171a2463e90b6558a16b614eb');
INSERT INTO "source_cell" VALUES('7c6e09d1f5664add8d5c3593459af674','task-hottest','markdown',1,'## 2 · some words the title

*difficulty ●○○○○ · importance ●●●○○ · 5 minutes · 2 points*

some words what the function is given, with units, and what it returns.','5141435d9a0937496ac09805c90734d4','961fcf5171a2463e90b6558a16b614eb');
INSERT INTO "source_cell" VALUES('fb49c8b0d0884f9a9fac75b9cd954e07','hottest','code',0,'def hottest(racks):
    raise NotImplementedError','06fa6e4189ac219985d9e7a0283ba72f','961fcf5171a2463e90b6558a16b614eb');
INSERT INTO "source_cell" VALUES('2d11f8c8e38348648434c17659157c00','hottest-check','code',1,'check("lab.power.hottest", hottest, points=2)
### BEGIN HIDDEN TESTS
from autograder.grading import award

award("lab.power.hottest", hottest, points=2)
### END HIDDEN TESTS','88b40bb7be1297b0cb125d2aea3957f7','961fcf5171a2463e90b6558a16b614eb');
INSERT INTO "source_cell" VALUES('6f1ceb0cc1ff4ab983b6cc9e0d5658af','question','markdown',1,'**some words the question of the written part.** Write about 200 words. some words what an answer must name and compare, with numbers from the functions. *(6 points, read by a person)*','9959aa79c908b9471b9a48d5a99813a9','961fcf5171a2463e90b6558a16b614eb');
INSERT INTO "source_cell" VALUES('6e57dc5e7afa469fafaa7aa234894271','answer','markdown',0,'*Your answer here.*','c1399262e223e1a8d19e4b08d640d717','961fcf5171a2463e90b6558a16b614eb');
CREATE TABLE student (
	id VARCHAR(128) NOT NULL, 
	first_name VARCHAR(128), 
	last_name VARCHAR(128), 
	email VARCHAR(128), 
	lms_user_id VARCHAR(128), 
	PRIMARY KEY (id)
);
INSERT INTO "student" VALUES('ann',NULL,NULL,NULL,NULL);
INSERT INTO "student" VALUES('bob',NULL,NULL,NULL,NULL);
CREATE TABLE submitted_assignment (
	id VARCHAR(32) NOT NULL, 
	assignment_id VARCHAR(32), 
	student_id VARCHAR(128), 
	timestamp DATETIME, 
	extension DATETIME, 
	PRIMARY KEY (id), 
	UNIQUE (assignment_id, student_id), 
	FOREIGN KEY(assignment_id) REFERENCES assignment (id), 
	FOREIGN KEY(student_id) REFERENCES student (id)
);
INSERT INTO "submitted_assignment" VALUES('c521704b706442378f1baa9afd7c463c','0d7e134e9077414d832bb3e79d28926c','ann',NULL,NULL);
INSERT INTO "submitted_assignment" VALUES('6b6a2cc186294020813e7636cd2adaf0','0d7e134e9077414d832bb3e79d28926c','bob',NULL,NULL);
CREATE TABLE submitted_notebook (
	id VARCHAR(32) NOT NULL, 
	assignment_id VARCHAR(32), 
	notebook_id VARCHAR(32), 
	flagged BOOLEAN, 
	late_submission_penalty FLOAT, 
	PRIMARY KEY (id), 
	UNIQUE (notebook_id, assignment_id), 
	FOREIGN KEY(assignment_id) REFERENCES submitted_assignment (id), 
	FOREIGN KEY(notebook_id) REFERENCES notebook (id)
);
INSERT INTO "submitted_notebook" VALUES('d3dcb470e7f54d00842b0cc3ffd8ad6e','c521704b706442378f1baa9afd7c463c','961fcf5171a2463e90b6558a16b614eb',0,NULL);
INSERT INTO "submitted_notebook" VALUES('a955f90e8afc4b3d97edc7fead2bc454','6b6a2cc186294020813e7636cd2adaf0','961fcf5171a2463e90b6558a16b614eb',0,NULL);
CREATE TABLE task_cells (
	id VARCHAR(32) NOT NULL, 
	max_score FLOAT NOT NULL, 
	cell_type VARCHAR(8) NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(id) REFERENCES base_cell (id)
);
COMMIT;
